/** Workers that are kept for one task each: one that moves objects goes where it starts at once. */

import type { PoolWorker } from '../crew/pool-worker.js'
import type { Task } from '../tasks/task.js'

export class Reservations {
  readonly #workers: readonly PoolWorker[]
  #count = 0

  constructor(workers: readonly PoolWorker[]) {
    this.#workers = workers
  }

  keep(worker: PoolWorker, task: Task): void {
    this.#count++
    worker.reserved = task
  }

  /** The worker is free again; returns the task that it was kept for. */
  give(worker: PoolWorker): Task | undefined {
    const task = worker.reserved
    if (task === undefined) return undefined
    this.#count--
    worker.reserved = undefined
    return task
  }

  /**
   * What a worker that has become idle takes: the task that it was kept for, or the one that has waited longest for
   * another worker, which may be busy for long.
   */
  takeFor(worker: PoolWorker): Task | undefined {
    if (this.#count === 0 || worker.outstanding > 0 || worker.held || !worker.isReady) return undefined
    let holder = worker
    for (const other of worker.reserved === undefined ? this.#workers : []) {
      if (other.reserved === undefined) continue
      if (holder.reserved === undefined || other.reserved.sequence < holder.reserved.sequence) holder = other
    }
    return this.give(holder)
  }
}
