/**
 * All tasks of a run in typed arrays, by number. Numbers ascend in submit order, so "older" is "smaller". A task is
 * in at most one list at a time, the waiting line or a lane, and the links live here too.
 */

/** No task, no worker. */
export const NONE = -1

export type TaskState = 0 | 1 | 2 | 3 | 4
export const WAITING: TaskState = 0
/** On its way to a worker. */
export const POSTED: TaskState = 1
/** In the worker's inbox and not claimed. */
export const DELIVERED: TaskState = 2
export const RUNNING: TaskState = 3
export const DONE: TaskState = 4

export class TaskTable {
  readonly submitMs: Float64Array
  readonly workMs: Float64Array
  /** Submit to answer; NaN while the task is not answered. */
  readonly responseMs: Float64Array
  /** Claim to finish of the last run, a stall of its worker included. */
  readonly runMs: Float64Array
  readonly state: Uint8Array
  readonly lane: Int32Array
  /** How often the task was posted: a message of an earlier post is recognised by its number. */
  readonly posts: Int32Array
  /** Whether a take-back of the current post is under way. */
  readonly revoking: Uint8Array
  readonly next: Int32Array
  readonly previous: Int32Array

  constructor(count: number) {
    this.submitMs = new Float64Array(count)
    this.workMs = new Float64Array(count)
    this.responseMs = new Float64Array(count).fill(Number.NaN)
    this.runMs = new Float64Array(count)
    this.state = new Uint8Array(count)
    this.lane = new Int32Array(count).fill(NONE)
    this.posts = new Int32Array(count)
    this.revoking = new Uint8Array(count)
    this.next = new Int32Array(count).fill(NONE)
    this.previous = new Int32Array(count).fill(NONE)
  }
}

/** A doubly linked list through the table; every operation O(1) but `insertInOrder`. */
export class TaskList {
  readonly #tasks: TaskTable
  head = NONE
  tail = NONE
  length = 0

  constructor(tasks: TaskTable) {
    this.#tasks = tasks
  }

  push(task: number): void {
    this.#insertAfter(this.tail, task)
  }

  /** Puts a returned task where its submit order says, seen from the front: O(older tasks in the list). */
  insertInOrder(task: number): void {
    let after = NONE
    let candidate = this.head
    while (candidate !== NONE && candidate < task) {
      after = candidate
      candidate = this.#tasks.next[candidate]!
    }
    this.#insertAfter(after, task)
  }

  remove(task: number): void {
    const { next, previous } = this.#tasks
    const after = next[task]!
    const before = previous[task]!
    if (before === NONE) this.head = after
    else next[before] = after
    if (after === NONE) this.tail = before
    else previous[after] = before
    next[task] = NONE
    previous[task] = NONE
    this.length--
  }

  #insertAfter(before: number, task: number): void {
    const { next, previous } = this.#tasks
    const after = before === NONE ? this.head : next[before]!
    previous[task] = before
    next[task] = after
    if (before === NONE) this.head = task
    else next[before] = task
    if (after === NONE) this.tail = task
    else previous[after] = task
    this.length++
  }
}
