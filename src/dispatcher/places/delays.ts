/** Tasks that wait for their time to come, not for a worker: the next attempt, or the start their caller put off. */

import type { Clock, Timer } from '../../base/clock.js'
import type { Holder, Task } from '../tasks/task.js'

export class Delays implements Holder {
  readonly #clock: Clock
  readonly #due: (task: Task) => void
  readonly #timers = new Map<Task, Timer>()

  /** @param due called with each task whose wait is over */
  constructor(clock: Clock, due: (task: Task) => void) {
    this.#clock = clock
    this.#due = due
  }

  [Symbol.iterator](): Iterator<Task> {
    return this.#timers.keys()
  }

  get size(): number {
    return this.#timers.size
  }

  hold(task: Task, delayMs: number): void {
    task.place = 'delay'
    task.slot = -1
    const timer = this.#clock.after(delayMs, () => {
      this.#timers.delete(task)
      this.#due(task)
    })
    this.#timers.set(task, timer)
  }

  /** Takes a task out whose time is not to come after all. */
  remove(task: Task): void {
    this.#timers.get(task)?.stop()
    this.#timers.delete(task)
  }
}
