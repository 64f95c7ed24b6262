/** A batch that keeps every processor busy with tasks of different cost: the whole of it is timed. */

import { seededRandom } from '../../src/base/random.js'
import type { Probe } from '../harness/sample.js'
import { eachSystem, processorUs, withWarmPool } from './pool.js'

export interface BatchParameters {
  readonly tasks: number
  /** Rounds of `grind`, uniform between the two; a fixed amount of work, so it takes longer on a slower machine. */
  readonly minRounds: number
  readonly maxRounds: number
  readonly inFlight: number
  /** Costs are known and the longest tasks come first, the best order there is; otherwise they come as drawn. */
  readonly longestFirst: boolean
}

/** wallMs and cpuMs of the whole batch; equal seeds give equal tasks. */
export const probeBatch: Probe = async ({ systems, parameters, seed }) => {
  const given = parameters as unknown as BatchParameters
  const random = seededRandom(seed)
  const costs = Array.from({ length: given.tasks }, () =>
    Math.round(given.minRounds + random() * (given.maxRounds - given.minRounds)),
  )
  if (given.longestFirst) costs.sort((a, b) => b - a)
  return {
    systems: await eachSystem(systems, (system) =>
      withWarmPool(system, async (pool) => {
        let next = 0
        const caller = async (): Promise<void> => {
          while (next < costs.length) await pool.run('grind', costs[next++])
        }
        const cpuBefore = process.cpuUsage()
        const startMs = performance.now()
        await Promise.all(Array.from({ length: given.inFlight }, caller))
        return { measures: { wallMs: performance.now() - startMs, cpuMs: processorUs(cpuBefore) / 1_000 } }
      }),
    ),
  }
}
