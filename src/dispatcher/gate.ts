/**
 * One gate. The limits are p-queue's, the order is ours: what enters p-queue is not a task but the right of whoever
 * is first in our queue to pass, and no more than a few such rights wait there. So a task keeps its priority and can
 * be aborted, or given another priority, up to the moment it passes.
 */

import type PQueue from 'p-queue'
import { CentralQueue } from './central-queue.js'
import type { Task } from './task.js'

/** Rights to pass that wait in p-queue at most: one would do, two let it go on without waiting for us. */
const MAX_WAITING_RIGHTS = 2

export class Gate {
  readonly waiting: CentralQueue
  readonly #pass: (task: Task) => void
  /** Tasks that have passed and not settled, with what lets the next one in. */
  readonly #under = new Map<Task, () => void>()
  #limiter: PQueue | undefined
  #rights = 0

  /** @param pass called with each task whose turn it is */
  constructor(ageMs: number, pass: (task: Task) => void) {
    this.waiting = new CentralQueue(ageMs)
    this.#pass = pass
  }

  /** Tasks that have passed and not settled. */
  get underWay(): number {
    return this.#under.size
  }

  /** Until this is called, everybody waits. */
  open(limiter: PQueue): void {
    this.#limiter = limiter
    this.#ask()
  }

  enter(task: Task): void {
    task.state = 'gated'
    this.waiting.push(task)
    this.#ask()
  }

  /** Takes out a task that has not passed. */
  remove(task: Task): void {
    this.waiting.remove(task)
    if (this.#rights <= this.waiting.size) return
    // A right that nobody is there to use would cost a place in the interval.
    this.#limiter?.clear()
    this.#rights = 0
    this.#ask()
  }

  /** The task has settled. */
  leave(task: Task): void {
    const next = this.#under.get(task)
    this.#under.delete(task)
    next?.()
  }

  #ask(): void {
    const limiter = this.#limiter
    if (limiter === undefined) return
    while (this.#rights < Math.min(MAX_WAITING_RIGHTS, this.waiting.size)) {
      this.#rights++
      void limiter.add(() => this.#letPass())
    }
  }

  /** Resolves when the task that has passed has settled. */
  async #letPass(): Promise<void> {
    this.#rights--
    const task = this.waiting.peek()
    if (task === undefined) return
    this.waiting.remove(task)
    const settled = new Promise<void>((resolve) => this.#under.set(task, resolve))
    this.#pass(task)
    this.#ask()
    await settled
  }
}
