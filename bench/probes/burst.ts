/** A burst of equal tasks with, or without, one that blocks its worker: how soon are all the others done? */

import type { Contender } from '../contenders/contender.js'
import type { Probe } from '../harness/sample.js'
import type { WorkKind } from '../tasks.js'
import { eachSystem, withWarmPool } from './pool.js'

export interface BurstParameters {
  readonly tasks: number
  /** 0: no-op tasks; otherwise each sleeps so long. */
  readonly taskMs: number
  /** 0: no block, for the time that free workers need. */
  readonly blockMs: number
  readonly blockKind: Exclude<WorkKind, 'timer'>
  /** Position of the blocking task in the burst. */
  readonly blockAt: number
  /** Tasks run before, so that every lane is warm and short tasks are known to be short. */
  readonly warmUpTasks: number
}

const one = (pool: Contender, taskMs: number): Promise<unknown> =>
  taskMs === 0 ? pool.run('noop', 0) : pool.run('hold', { kind: 'parked', ms: taskMs })

/** A burst is warmed in portions, as a program would have done before. */
const warmPortion = 500

/** allOthersMs: from the start of the burst until the last task but the blocking one settled. */
export const probeBurst: Probe = async ({ systems, parameters }) => {
  const given = parameters as unknown as BurstParameters
  return {
    systems: await eachSystem(systems, (system) =>
      withWarmPool(system, async (pool) => {
        for (let sent = 0; sent < given.warmUpTasks; sent += warmPortion) {
          await Promise.all(Array.from({ length: warmPortion }, () => one(pool, given.taskMs)))
        }
        let lastMs = 0
        // One function for all, and the cheapest clock: the burst of no-ops takes little more than this itself.
        const settled = (): void => {
          lastMs = performance.now()
        }
        const running: Promise<unknown>[] = []
        const startMs = performance.now()
        for (let task = 0; task < given.tasks; task++) {
          const isBlock = given.blockMs > 0 && task === given.blockAt
          running.push(
            isBlock
              ? pool.run('hold', { kind: given.blockKind, ms: given.blockMs })
              : one(pool, given.taskMs).then(settled),
          )
        }
        await Promise.all(running)
        return { measures: { allOthersMs: lastMs - startMs } }
      }),
    ),
  }
}
