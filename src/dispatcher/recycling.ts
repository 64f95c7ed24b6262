/** Workers whose threads are to be replaced, one at a time: ending several large heaps together costs seconds. */

import type { PoolWorker } from './pool-worker.js'

export class Recycling {
  readonly #begin: (worker: PoolWorker) => void
  /** The first is being replaced. */
  #queue: PoolWorker[] = []

  /** @param begin lets the worker drain, to be started again */
  constructor(begin: (worker: PoolWorker) => void) {
    this.#begin = begin
  }

  request(worker: PoolWorker): void {
    if (!worker.isReady || this.#queue.includes(worker)) return
    this.#queue.push(worker)
    if (this.#queue.length === 1) this.#begin(worker)
  }

  /** The worker's thread has ended, for whatever reason: it is its successors' turn. */
  ended(worker: PoolWorker): void {
    const index = this.#queue.indexOf(worker)
    if (index < 0) return
    this.#queue.splice(index, 1)
    if (index > 0) return
    // Those that meanwhile ended by themselves have left the queue; the next one is alive.
    const next = this.#queue[0]
    if (next !== undefined) this.#begin(next)
  }
}
