/** Unsettled tasks by the tag that their caller gave them. */

import type { Task } from '../tasks/task.js'

export class Tags {
  readonly #tasks = new Map<string, Set<Task>>()

  /** Tags in use. */
  get size(): number {
    return this.#tasks.size
  }

  add(tag: string, task: Task): void {
    const tasks = this.#tasks.get(tag)
    if (tasks === undefined) this.#tasks.set(tag, new Set([task]))
    else tasks.add(task)
  }

  remove(tag: string, task: Task): void {
    const tasks = this.#tasks.get(tag)
    if (tasks?.delete(task) && tasks.size === 0) this.#tasks.delete(tag)
  }

  /** The tasks of a tag in the order in which they were accepted. */
  of(tag: string): Task[] {
    return [...(this.#tasks.get(tag) ?? [])]
  }
}
