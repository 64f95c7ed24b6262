/** One task per turn of the event loop: what a server does that submits a task per request. */

import type { Probe } from '../harness/sample.js'
import { median } from '../stats/quantiles.js'
import { eachSystem, pauseMs, processorUs, withWarmPool } from './pool.js'

export interface TurnsParameters {
  readonly inFlight: number
  readonly warmUpMs: number
  readonly roundMs: number
  readonly rounds: number
}

/**
 * Submits exactly one task in each `setImmediate` turn while fewer than `inFlight` are unsettled. At the bound it waits
 * for an answer instead of turning on, or the figure would hold the cost of an empty loop.
 */
export const probeTurns: Probe = async ({ systems, parameters }) => {
  const given = parameters as unknown as TurnsParameters
  return {
    systems: await eachSystem(systems, (system) =>
      withWarmPool(system, async (pool) => {
        let unsettled = 0
        let settled = 0
        let armed = true
        let stopped = false
        let fault: unknown
        const turn = (): void => {
          if (stopped) return
          armed = unsettled + 1 < given.inFlight
          if (armed) setImmediate(turn)
          unsettled++
          pool.run('noop', settled).then(answered, (error) => {
            fault = error
          })
        }
        const answered = (): void => {
          unsettled--
          settled++
          if (!armed) {
            armed = true
            setImmediate(turn)
          }
        }
        setImmediate(turn)
        await pauseMs(given.warmUpMs)
        const rates: number[] = []
        const costs: number[] = []
        for (let round = 0; round < given.rounds; round++) {
          const settledBefore = settled
          const cpuBefore = process.cpuUsage()
          const startMs = performance.now()
          await pauseMs(given.roundMs)
          const count = settled - settledBefore
          rates.push((count / (performance.now() - startMs)) * 1_000)
          costs.push(processorUs(cpuBefore) / count)
        }
        stopped = true
        if (fault !== undefined) throw fault
        while (unsettled > 0) await pauseMs(1)
        return { measures: { tasksPerSecond: median(rates), cpuUsPerTask: median(costs) } }
      }),
    ),
  }
}
