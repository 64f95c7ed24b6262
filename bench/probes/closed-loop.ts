/** Throughput: a fixed number of callers, each with one task in flight, for a fixed time. */

import type { Contender } from '../contenders/contender.js'
import type { Probe } from '../harness/sample.js'
import { median } from '../stats/quantiles.js'
import type { TaskName } from '../tasks.js'
import { makePayload, type PayloadShape } from './payload-shapes.js'
import { eachSystem, pauseMs, processorUs, withWarmPool } from './pool.js'

export interface ClosedLoopParameters {
  readonly task: TaskName
  /** Of each task's own payload, made anew for every call; the number of the call when it is left out. */
  readonly shape?: PayloadShape
  readonly inFlight: number
  /** Not counted: compilation, first growth of queues. */
  readonly warmUpMs: number
  readonly roundMs: number
  readonly rounds: number
}

interface LoopCount {
  settled: number
  stopped: boolean
}

async function caller(
  pool: Contender,
  task: TaskName,
  payloadOf: (call: number) => unknown,
  count: LoopCount,
): Promise<void> {
  while (!count.stopped) {
    await pool.run(task, payloadOf(count.settled))
    count.settled++
  }
}

/** tasksPerSecond and cpuUsPerTask are medians over the rounds of one process. */
export const probeClosedLoop: Probe = async ({ systems, parameters }) => {
  const given = parameters as unknown as ClosedLoopParameters
  const { shape } = given
  const payloadOf = (call: number): unknown => (shape === undefined ? call : makePayload(shape, call))
  return {
    systems: await eachSystem(systems, (system) =>
      withWarmPool(system, async (pool) => {
        const count: LoopCount = { settled: 0, stopped: false }
        const callers = Array.from({ length: given.inFlight }, () => caller(pool, given.task, payloadOf, count))
        await pauseMs(given.warmUpMs)
        const rates: number[] = []
        const costs: number[] = []
        for (let round = 0; round < given.rounds; round++) {
          const settledBefore = count.settled
          const cpuBefore = process.cpuUsage()
          const startMs = performance.now()
          await pauseMs(given.roundMs)
          const tookMs = performance.now() - startMs
          const settled = count.settled - settledBefore
          rates.push((settled / tookMs) * 1_000)
          costs.push(processorUs(cpuBefore) / settled)
        }
        count.stopped = true
        await Promise.all(callers)
        return { measures: { tasksPerSecond: median(rates), cpuUsPerTask: median(costs) } }
      }),
    ),
  }
}
