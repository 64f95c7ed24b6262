/**
 * Time limits of tasks: a binary heap by due time, looked at by the dispatcher's tick. Setting, changing and
 * dropping a limit is O(log n); a settled task leaves the heap at once, so a long limit holds nothing.
 */

import type { Task } from '../tasks/task.js'

export class Limits {
  readonly #heap: Task[] = []

  get size(): number {
    return this.#heap.length
  }

  /** The task is looked at again at `dueMs`. */
  set(task: Task, dueMs: number): void {
    task.limitDueMs = dueMs
    if (task.limitIndex < 0) {
      task.limitIndex = this.#heap.length
      this.#heap.push(task)
    }
    this.#up(task)
    this.#down(task)
  }

  drop(task: Task): void {
    const index = task.limitIndex
    if (index < 0) return
    task.limitIndex = -1
    const last = this.#heap.pop()!
    if (last === task) return
    this.#place(last, index)
    this.#up(last)
    this.#down(last)
  }

  /** The task with the earliest due time, if that has come; it has left the heap. */
  takeDue(nowMs: number): Task | undefined {
    const first = this.#heap[0]
    if (first === undefined || first.limitDueMs > nowMs) return undefined
    this.drop(first)
    return first
  }

  #place(task: Task, index: number): void {
    this.#heap[index] = task
    task.limitIndex = index
  }

  #up(task: Task): void {
    for (let index = task.limitIndex; index > 0; index = task.limitIndex) {
      const parent = this.#heap[(index - 1) >> 1]
      if (parent.limitDueMs <= task.limitDueMs) return
      this.#place(parent, index)
      this.#place(task, (index - 1) >> 1)
    }
  }

  #down(task: Task): void {
    for (;;) {
      const index = task.limitIndex
      const left = 2 * index + 1
      let child = this.#heap[left]
      if (child === undefined) return
      const right = this.#heap[left + 1]
      if (right !== undefined && right.limitDueMs < child.limitDueMs) child = right
      if (child.limitDueMs >= task.limitDueMs) return
      const to = child.limitIndex
      this.#place(child, index)
      this.#place(task, to)
    }
  }
}
