/**
 * Time limits of tasks: a binary heap by due time, checked by the dispatcher's tick. It ends nothing: `early-ends.ts`
 * does. Setting, changing and dropping a limit is O(log n); a settled task leaves the heap at once, so a long limit
 * holds nothing.
 */

import type { Task } from '../tasks/task.js'

export class Limits {
  readonly #heap: Task[] = []

  get size(): number {
    return this.#heap.length
  }

  /** The task is checked again at `dueMs`. */
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

  /** Removes and returns the task with the earliest due time, if that has passed. */
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

interface Stop {
  readonly endMs: number
  readonly ms: number
}

/** How many stops are kept, the latest: stops are rare. */
const MAX_STOPS = 64

/** When the whole process stood still. No task ran then, so this time counts for no run. */
export class Stops {
  readonly #stops: Stop[] = []

  note(endMs: number, ms: number): void {
    if (ms <= 0) return
    this.#stops.push({ endMs, ms })
    if (this.#stops.length > MAX_STOPS) this.#stops.shift()
  }

  /** How long the process has stood still since then, ms. */
  since(fromMs: number): number {
    let sumMs = 0
    for (const { endMs, ms } of this.#stops) {
      if (endMs > fromMs) sumMs += Math.min(ms, endMs - fromMs)
    }
    return sumMs
  }
}
