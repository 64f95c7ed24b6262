/**
 * Tasks that are kept for one worker. Reserved: the task moves objects, so it is posted only where it starts at once,
 * and waits until this worker is idle. Backlog: the task must run on this worker, whose lane is full.
 */

import { livesOf, type PoolWorker } from '../crew/pool-worker.js'
import type { Holder, Task } from '../tasks/task.js'

export class KeptTasks {
  readonly reservations: Holder
  readonly backlogs: Holder
  readonly #workers: readonly PoolWorker[]
  #reserved = 0

  constructor(workers: readonly PoolWorker[]) {
    this.#workers = workers
    this.reservations = {
      remove: (task) => void this.free(workers[task.slot]),
      *[Symbol.iterator]() {
        for (const { reserved } of livesOf(workers)) if (reserved !== undefined) yield reserved
      },
    }
    this.backlogs = {
      remove: (task) => this.#unkeep(workers[task.slot], task),
      *[Symbol.iterator]() {
        for (const { backlog } of livesOf(workers)) yield* backlog
      },
    }
  }

  reserve(worker: PoolWorker, task: Task): void {
    this.#reserved++
    worker.reserved = task
    task.place = 'reservation'
    task.slot = worker.slot
  }

  /** Ends the reservation. Returns its task. */
  free(worker: PoolWorker): Task | undefined {
    const task = worker.reserved
    if (task === undefined) return undefined
    this.#reserved--
    worker.reserved = undefined
    task.slot = -1
    return task
  }

  /**
   * The task for a worker that became idle: the one reserved for it, else the one that has waited longest for another
   * worker, which may be busy for long.
   */
  takeFor(worker: PoolWorker): Task | undefined {
    if (this.#reserved === 0 || worker.outstanding > 0 || worker.held || !worker.isReady) return undefined
    let holder = worker
    for (const other of worker.reserved === undefined ? this.#workers : []) {
      if (other.reserved === undefined) continue
      if (holder.reserved === undefined || other.reserved.sequence < holder.reserved.sequence) holder = other
    }
    return this.free(holder)
  }

  keep(worker: PoolWorker, task: Task): void {
    worker.backlog.push(task)
    task.place = 'backlog'
    task.slot = worker.slot
  }

  /** Gives up the tasks that may run elsewhere, one after another. */
  *giveUp(worker: PoolWorker): IterableIterator<Task> {
    const reserved = this.free(worker)
    if (reserved !== undefined) yield reserved
    for (const task of worker.backlog) {
      // A task that only this worker may run stays as long as the worker lives.
      if (task.staysPut && worker.isReady) continue
      this.#unkeep(worker, task)
      yield task
    }
  }

  #unkeep(worker: PoolWorker, task: Task): void {
    worker.backlog.remove(task)
    task.slot = -1
  }
}
