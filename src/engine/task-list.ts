/**
 * A doubly linked list through the tasks themselves: no node is allocated, and removing any task is O(1). A task is in
 * at most one list at a time.
 */

import type { LaneTask } from './lane-task.js'

export class TaskList<T extends LaneTask> {
  #first: T | undefined
  #last: T | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): T | undefined {
    return this.#first
  }

  get last(): T | undefined {
    return this.#last
  }

  push(task: T): void {
    task.previous = this.#last
    task.next = undefined
    if (this.#last === undefined) this.#first = task
    else this.#last.next = task
    this.#last = task
    this.#size++
  }

  /** Inserts the task right before `other`, or at the end without one. */
  insertBefore(task: T, other: T | undefined): void {
    if (other === undefined) {
      this.push(task)
      return
    }
    const previous = other.previous as T | undefined
    task.previous = previous
    task.next = other
    other.previous = task
    if (previous === undefined) this.#first = task
    else previous.next = task
    this.#size++
  }

  /** The task must be in this list. */
  remove(task: T): void {
    const previous = task.previous as T | undefined
    const next = task.next as T | undefined
    if (previous === undefined) this.#first = next
    else previous.next = next
    if (next === undefined) this.#last = previous
    else next.previous = previous
    task.previous = undefined
    task.next = undefined
    this.#size--
  }

  shift(): T | undefined {
    const task = this.#first
    if (task !== undefined) this.remove(task)
    return task
  }

  /** Oldest first. The current task of the iteration may leave the list. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let task = this.#first; task !== undefined; ) {
      const next = task.next as T | undefined
      yield task
      task = next
    }
  }
}
