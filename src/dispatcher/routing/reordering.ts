/** `setPriority`: another priority for unstarted tasks, wherever they wait. */

import { POSTED } from '../../board/claims.js'
import { holderOf, type PoolWorker } from '../crew/pool-worker.js'
import type { GateKeeper } from '../places/gates.js'
import { isCostly, type Task } from '../tasks/task.js'
import type { Router } from './router.js'

export class Reordering {
  readonly #workers: readonly PoolWorker[]
  readonly #router: Router
  readonly #gates: GateKeeper

  constructor(workers: readonly PoolWorker[], router: Router, gates: GateKeeper) {
    this.#gates = gates
    this.#workers = workers
    this.#router = router
  }

  /**
   * Gives the tasks another priority, and returns how many were unstarted. `tasks` are in the order of submission,
   * and keep it. O(tasks + tasks of the class they come to).
   */
  setPriority(tasks: readonly Task[], priority: number): number {
    const queued: Task[] = []
    const gated: Task[] = []
    const taken: Task[] = []
    let changed = 0
    for (const task of tasks) {
      const lane = holderOf(this.#workers, task)?.lane
      if (lane !== undefined) {
        // A task whose message is slow to read stays: taken back again and again, it would never start.
        const stays = task.priority === priority || isCostly(task)
        if (stays ? lane.stateOf(task) !== POSTED : !this.#takeBack(task)) continue
        task.priority = priority
        if (!stays) taken.push(task)
      } else if (task.place === 'queue') queued.push(task)
      else if (task.place === 'gate') gated.push(task)
      else task.priority = priority
      changed++
    }
    this.#router.queues.reprioritise(queued, priority)
    this.#gates.reprioritise(gated, priority)
    // Last, because a task that comes back to its gate may take the place of another.
    for (const task of taken) this.#router.putBack(task)
    return changed
  }

  /** False when the worker has started the task, or the task cannot be sent a second time. */
  #takeBack(task: Task): boolean {
    const worker = holderOf(this.#workers, task)!
    if (task.staysPut || !worker.lane!.takeBackOne(task)) return false
    worker.record.takenBack++
    return true
  }
}
