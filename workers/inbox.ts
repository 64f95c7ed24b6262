/** Accepted batches of one kind, read task by task without a copy. */

import { BATCH_START, BATCH_STRIDE, headHasTree, type TaskBatch, TREES_AT } from '../src/protocol/batch.js'
import { TreeReader, type Trees } from '../src/protocol/small-tree.js'

/** Finished batches are removed from the list when there are this many, or no others. */
const MAX_READ = 32

export class Inbox {
  #batches: TaskBatch[] = []
  #first = 0
  #at = BATCH_START
  #size = 0
  /** The task that the last `next()` moved to. */
  key = 0
  head = 0
  #payload: unknown
  /** The trees of the current batch. */
  #trees: TreeReader | undefined

  /** Tasks that `next()` has not reached yet. */
  get size(): number {
    return this.#size
  }

  push(batch: TaskBatch): void {
    this.#batches.push(batch)
    this.#size += (batch.length - BATCH_START) / BATCH_STRIDE
  }

  /** Moves to the next task, oldest first. False when there is none. */
  next(): boolean {
    if (this.#size === 0) return false
    const batch = this.#batches[this.#first]
    this.key = batch[this.#at] as number
    this.head = batch[this.#at + 1] as number
    const sent = batch[this.#at + 2]
    this.#payload = headHasTree(this.head) ? this.#treeAt(batch[TREES_AT] as Trees, sent as number) : sent
    batch[this.#at + 2] = undefined
    this.#at += BATCH_STRIDE
    this.#size--
    if (this.#at >= batch.length) this.#nextBatch()
    return true
  }

  /** The current task's payload. To be called once: after that, neither batch nor inbox keeps the payload alive. */
  takePayload(): unknown {
    const payload = this.#payload
    this.#payload = undefined
    return payload
  }

  #treeAt([values, shapes]: Trees, at: number): unknown {
    this.#trees ??= new TreeReader(shapes)
    return this.#trees.read(values, at)
  }

  #nextBatch(): void {
    this.#trees = undefined
    this.#at = BATCH_START
    if (++this.#first < MAX_READ && this.#first < this.#batches.length) return
    // Batches that were read are released even if the inbox never becomes empty.
    this.#batches.splice(0, this.#first)
    this.#first = 0
  }
}
