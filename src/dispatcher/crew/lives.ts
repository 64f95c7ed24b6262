/**
 * Which worker a lane or a task belongs to: the one that fills the slot, or a predecessor that drains beside it.
 */

import type { Lane } from '../../engine/lane.js'
import type { Task } from '../tasks/task.js'
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
  if (task.state !== 'posted' || task.key < 0) return undefined
  const worker = workers[task.slot]
  if (worker.lane?.taskOf(task.key) === task) return worker
  for (const before of worker.predecessors) if (before.lane?.taskOf(task.key) === task) return before
  return undefined
}

/** Every worker of the pool: for each slot the one that fills it, then those that drain beside it. */
export function* livesOf(workers: readonly PoolWorker[]): IterableIterator<PoolWorker> {
  for (const worker of workers) {
    yield worker
    if (worker.predecessors.size > 0) yield* worker.predecessors
  }
}
