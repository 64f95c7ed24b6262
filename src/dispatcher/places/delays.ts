/** Tasks that wait for a time, not for a worker: the time of the next attempt, or of a delayed start. */

import type { Clock, Timer } from '../../base/clock.js'
import type { Holder, Task } from '../tasks/task.js'

export interface DelaysOwner {
  /** The task's wait is over. */
  timeHasCome(task: Task): void
}

export class Delays implements Holder {
  readonly #clock: Clock
  #owner!: DelaysOwner
  readonly #timers = new Map<Task, Timer>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Before the first task. */
  connect(owner: DelaysOwner): void {
    this.#owner = owner
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
      this.#owner.timeHasCome(task)
    })
    this.#timers.set(task, timer)
  }

  /** Takes out a task that no longer waits. */
  remove(task: Task): void {
    this.#timers.get(task)?.stop()
    this.#timers.delete(task)
  }
}
