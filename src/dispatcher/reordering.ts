/** Another priority for tasks that have not started, wherever they wait. */

import type { PoolWorker } from './pool-worker.js'
import type { Router } from './router.js'
import type { Task } from './task.js'

export class Reordering {
  readonly #workers: readonly PoolWorker[]
  readonly #router: Router

  constructor(workers: readonly PoolWorker[], router: Router) {
    this.#workers = workers
    this.#router = router
  }

  /**
   * Gives the tasks, in their order of submission, another priority; returns how many had not started. They keep
   * their order among each other. O(tasks + tasks of the class they come to).
   */
  setPriority(tasks: readonly Task[], priority: number): number {
    const queued: Task[] = []
    let changed = 0
    for (const task of tasks) {
      if (task.state === 'posted' && task.key >= 0) {
        if (!this.#takeBack(task)) continue
        task.priority = priority
        this.#router.putBack(task)
      } else if (task.state === 'waiting' && task.slot < 0) queued.push(task)
      else task.priority = priority
      changed++
    }
    this.#router.reprioritise(queued, priority)
    return changed
  }

  /** False when the worker has started the task, or the task cannot be sent a second time. */
  #takeBack(task: Task): boolean {
    const worker = this.#workers[task.slot]
    if (task.staysPut || !worker.lane!.takeBackOne(task)) return false
    worker.takenBack++
    return true
  }
}
