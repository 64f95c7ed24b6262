/** A flood: everything is submitted in one turn of the event loop, before the first answer can be taken in. */

import type { Contender } from '../contenders/contender.js'
import type { Probe } from '../harness/sample.js'
import { eachSystem, withWarmPool } from './pool.js'

export interface FloodParameters {
  readonly tasks: number
  /** Submitted and settled before, so that the flood meets compiled code. */
  readonly warmUpTasks: number
}

async function flood(pool: Contender, tasks: number): Promise<{ submitMs: number; totalMs: number }> {
  const startMs = performance.now()
  const running: Promise<unknown>[] = []
  for (let task = 0; task < tasks; task++) running.push(pool.run('noop', task))
  const submitMs = performance.now() - startMs
  // One after the other: waiting for all at once would allocate a closure for each.
  for (const promise of running) await promise
  return { submitMs, totalMs: performance.now() - startMs }
}

/** Live heap that the queued tasks hold, their promises included, the caller's array of them not. */
async function heapBytesPerTask(pool: Contender, tasks: number): Promise<number> {
  const running: Promise<unknown>[] = new Array(tasks)
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  for (let task = 0; task < tasks; task++) running[task] = pool.run('noop', task)
  globalThis.gc?.()
  const bytes = process.memoryUsage().heapUsed - before
  for (const promise of running) await promise
  return bytes / tasks
}

export const probeFlood: Probe = async ({ systems, parameters }) => {
  const { tasks, warmUpTasks } = parameters as unknown as FloodParameters
  return {
    systems: await eachSystem(systems, (system) =>
      withWarmPool(system, async (pool) => {
        await flood(pool, warmUpTasks)
        globalThis.gc?.()
        const { submitMs, totalMs } = await flood(pool, tasks)
        const heapBytes = await heapBytesPerTask(pool, tasks)
        return {
          measures: {
            usPerTask: (totalMs / tasks) * 1_000,
            submitUsPerTask: (submitMs / tasks) * 1_000,
            heapBytesPerTask: heapBytes,
          },
        }
      }),
    ),
  }
}
