/**
 * Which worker a lane or a task belongs to: the one that fills the slot, or a predecessor that drains beside it.
 */

import { POSTED } from '../../board/claims.js'
import type { Lane } from '../../engine/lane.js'
import type { Holder, Task } from '../tasks/task.js'
import type { PoolWorker } from './pool-worker.js'

/** The worker whose lane this is. One comparison for a worker in its slot: it is asked for at every answer. */
export function workerOf(workers: readonly PoolWorker[], lane: Lane<Task>): PoolWorker {
  const worker = workers[lane.slot]
  if (worker.lane === lane) return worker
  for (const before of worker.predecessors) if (before.lane === lane) return before
  throw new Error(`no worker of slot ${lane.slot} has this lane`)
}

/** The worker that holds the posted task; none while it waits, also in a backlog, and when it is settled. */
export function holderOf(workers: readonly PoolWorker[], task: Task): PoolWorker | undefined {
  if (task.place !== 'lane' || task.key < 0) return undefined
  const worker = workers[task.slot]
  if (worker.lane?.taskOf(task.key) === task) return worker
  for (const before of worker.predecessors) if (before.lane?.taskOf(task.key) === task) return before
  return undefined
}

/** Whether a worker has started the task's present attempt. */
export function isStarted(workers: readonly PoolWorker[], task: Task): boolean {
  const lane = holderOf(workers, task)?.lane
  return lane !== undefined && lane.stateOf(task) !== POSTED
}

/** The tasks that lanes hold. One that is removed is taken back, or abandoned where it runs. */
export function postedTasks(workers: readonly PoolWorker[]): Holder {
  return {
    remove(task) {
      const lane = holderOf(workers, task)?.lane
      if (lane !== undefined && !lane.takeBackOne(task)) lane.abandon(task)
    },
    *[Symbol.iterator]() {
      for (const { lane } of livesOf(workers)) {
        if (lane === undefined) continue
        yield* lane.cpu
        yield* lane.io
      }
    },
  }
}

/** Every worker of the pool: for each slot the one that fills it, then those that drain beside it. */
export function* livesOf(workers: readonly PoolWorker[]): IterableIterator<PoolWorker> {
  for (const worker of workers) {
    yield worker
    if (worker.predecessors.size > 0) yield* worker.predecessors
  }
}
