/**
 * Tasks that wait for room, by priority, with ageing. Enqueue, dequeue and removal are O(1) in the number of
 * waiting tasks, and O(c) in the number c of priorities in use at a time.
 *
 * Ageing needs no clock: a class that rises by one every `ageMs` of waiting orders two tasks exactly as their
 * fixed ranks `submittedMs - priority * ageMs` do. Within a class the order is that of submission, also for tasks
 * that were taken back from a worker.
 */

import { LinkedList } from '../../base/linked-list.js'
import type { Holder, Task } from '../tasks/task.js'

interface PriorityClass {
  readonly priority: number
  readonly tasks: LinkedList<Task>
}

export class CentralQueue {
  readonly #ageMs: number
  readonly #classes = new Map<number, PriorityClass>()
  /** Priority classes that hold tasks. */
  #used: PriorityClass[] = []
  #size = 0

  constructor(ageMs: number) {
    this.#ageMs = ageMs
  }

  get size(): number {
    return this.#size
  }

  push(task: Task): void {
    this.#classOf(task).tasks.push(task)
    this.#size++
  }

  /** Puts a task back that had left the queue, by its time of submission: near the front of its class. */
  putBack(task: Task): void {
    const { tasks } = this.#classOf(task)
    let later = tasks.first
    while (later !== undefined && later.sequence < task.sequence) later = later.next as Task | undefined
    tasks.insertBefore(task, later)
    this.#size++
  }

  /**
   * Gives waiting tasks another priority. `tasks` are in the order of submission, and so are they in their new class.
   * O(tasks + tasks of that class).
   */
  reprioritise(tasks: readonly Task[], priority: number): void {
    for (const task of tasks) {
      this.remove(task)
      task.priority = priority
    }
    if (tasks.length === 0) return
    const own = this.#classOf(tasks[0])
    let later = own.tasks.first
    for (const task of tasks) {
      while (later !== undefined && later.sequence < task.sequence) later = later.next as Task | undefined
      own.tasks.insertBefore(task, later)
    }
    this.#size += tasks.length
  }

  remove(task: Task): void {
    const own = this.#classes.get(task.priority)!
    own.tasks.remove(task)
    this.#size--
    if (own.tasks.size === 0) this.#drop(own)
  }

  /** The task that goes next. */
  peek(): Task | undefined {
    const used = this.#used
    let best = used[0]?.tasks.first
    for (let at = 1; at < used.length; at++) {
      const task = used[at].tasks.first!
      if (this.isBefore(task, best!)) best = task
    }
    return best
  }

  /** The task that has waited longest. */
  oldest(): Task | undefined {
    let oldest: Task | undefined
    for (const { tasks } of this.#used) {
      if (oldest === undefined || tasks.first!.sequence < oldest.sequence) oldest = tasks.first
    }
    return oldest
  }

  /** Adds the number of waiting tasks to `counts`, by priority. O(priorities in use). */
  countInto(counts: Map<number, number>): void {
    for (const { priority, tasks } of this.#used) counts.set(priority, (counts.get(priority) ?? 0) + tasks.size)
  }

  /** Classes come in no particular order. The current task may be removed during the iteration. */
  *[Symbol.iterator](): IterableIterator<Task> {
    for (const { tasks } of [...this.#used]) {
      for (let task = tasks.first; task !== undefined; ) {
        const next = task.next as Task | undefined
        yield task
        task = next
      }
    }
  }

  /** Whether `a` goes before `b`, by rank and then by submission. */
  isBefore(a: Task, b: Task): boolean {
    const difference = a.submittedMs - b.submittedMs - (a.priority - b.priority) * this.#ageMs
    return difference < 0 || (difference === 0 && a.sequence < b.sequence)
  }

  #classOf(task: Task): PriorityClass {
    const { priority } = task
    let own = this.#classes.get(priority)
    if (own === undefined) {
      own = { priority, tasks: new LinkedList() }
      this.#classes.set(priority, own)
    }
    if (own.tasks.size === 0) this.#used.push(own)
    return own
  }

  #drop(own: PriorityClass): void {
    if (this.#used.length === 1) this.#used.pop()
    else this.#used = this.#used.filter((other) => other !== own)
    // The class of priority 0 is kept: it empties all the time. Other empty classes are removed.
    if (own.priority !== 0) this.#classes.delete(own.priority)
  }
}

/** One queue per kind: CPU tasks that wait for turns do not block I/O tasks that need none. */
export class CentralQueues implements Holder {
  readonly cpu: CentralQueue
  readonly io: CentralQueue

  constructor(ageMs: number) {
    this.cpu = new CentralQueue(ageMs)
    this.io = new CentralQueue(ageMs)
  }

  get size(): number {
    return this.cpu.size + this.io.size
  }

  /** The queue for a task. The task stays with that queue, although its kind may become known later. */
  for(task: Task): CentralQueue {
    task.queuedAs = task.kind
    return this.#of(task)
  }

  remove(task: Task): void {
    this.#of(task).remove(task)
  }

  /** Gives waiting tasks, in their order of submission, another priority. */
  reprioritise(tasks: readonly Task[], priority: number): void {
    for (const queue of [this.cpu, this.io]) {
      queue.reprioritise(
        tasks.filter((task) => this.#of(task) === queue),
        priority,
      )
    }
  }

  /** The kinds became known: every task moves to the queue of its kind. */
  sort(): void {
    const all = [...this]
    for (const task of all) this.remove(task)
    all.sort((a, b) => a.sequence - b.sequence)
    for (const task of all) this.for(task).push(task)
  }

  /** Adds the number of waiting tasks to that of their priority. */
  countInto(counts: Map<number, number>): void {
    this.cpu.countInto(counts)
    this.io.countInto(counts)
  }

  *[Symbol.iterator](): IterableIterator<Task> {
    yield* this.cpu
    yield* this.io
  }

  #of(task: Task): CentralQueue {
    return task.queuedAs === 'io' ? this.io : this.cpu
  }
}
