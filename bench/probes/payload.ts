/** Large payloads one at a time, all systems in one loop, as in the round trip of small ones. */

import { seededRandom } from '../../src/base/random.js'
import type { Contender } from '../contenders/contender.js'
import type { Probe } from '../harness/sample.js'
import { median } from '../stats/quantiles.js'
import { alternately } from './alternately.js'

export interface PayloadParameters {
  readonly sizeBytes: number
  readonly transferred: boolean
  readonly blocks: number
  readonly warmUpBlocks: number
  readonly tasksPerBlock: number
}

export const probePayload: Probe = async ({ systems, parameters, seed }) => {
  const given = parameters as unknown as PayloadParameters
  const timeOne = async (pool: Contender): Promise<number> => {
    // A buffer that was transferred is gone, so each task has its own. Filled before the clock starts: fresh memory
    // would be paid for by whoever touches it first.
    const bytes = new Uint8Array(given.sizeBytes).fill(1)
    const startMs = performance.now()
    const total = await pool.run('sum', bytes, given.transferred ? [bytes.buffer] : undefined)
    const tookUs = (performance.now() - startMs) * 1_000
    if (total !== given.sizeBytes / 64)
      throw new Error(`the task read ${String(total)} lines of ${given.sizeBytes} bytes`)
    return tookUs
  }
  const times = await alternately(systems, given, seededRandom(seed), timeOne)
  return {
    systems: Object.fromEntries(
      Object.entries(times).map(([label, timesUs]) => [label, { measures: { roundTripUs: median(timesUs) } }]),
    ),
  }
}
