/**
 * Workers whose threads are to be replaced. Their successors start at once, and the old threads drain beside them;
 * two rules bound this:
 * - A worker that could still take tasks waits until no other one's successor is on its way, so that the pool keeps
 *   all but one of its workers, and a module that can no longer be loaded takes only one of them down.
 * - At most so many old threads drain at a time; beyond that, replacing waits for the end of one.
 */

import type { PoolWorker } from './pool-worker.js'

export interface RecyclingParts {
  /** Whether the slot is to be filled at all. */
  isWanted(slot: number): boolean
  /** Whether one more thread may drain. */
  hasPlace(): boolean
  /** Lets the worker drain, and starts its successor. */
  replace(worker: PoolWorker): void
}

export class Recycling {
  readonly #parts: RecyclingParts
  #spent: PoolWorker[] = []
  #planned: PoolWorker[] = []
  /** Slot whose planned successor is on its way. */
  #awaited = -1

  constructor(parts: RecyclingParts) {
    this.#parts = parts
  }

  /** In its turn: the worker goes on taking tasks until then. */
  request(worker: PoolWorker): void {
    if (!worker.isReady || this.#planned.includes(worker)) return
    this.#planned.push(worker)
    this.goOn()
  }

  /** As soon as there is a place: the worker has run as many tasks as it may, or grown too large. */
  requestNow(worker: PoolWorker): void {
    if (!worker.isReady || this.#spent.includes(worker)) return
    this.#spent.push(worker)
    this.goOn()
  }

  /** The worker takes tasks. */
  ready(worker: PoolWorker): void {
    if (worker.slot === this.#awaited) this.#awaited = -1
    this.goOn()
  }

  /** A thread has ended, or the pool changed its size. */
  goOn(): void {
    while (this.#parts.hasPlace()) {
      const worker = nextOf(this.#spent) ?? this.#nextPlanned()
      if (worker === undefined) return
      this.#parts.replace(worker)
    }
  }

  #nextPlanned(): PoolWorker | undefined {
    if (this.#awaited >= 0 && this.#parts.isWanted(this.#awaited)) return undefined
    const next = nextOf(this.#planned)
    this.#awaited = next === undefined ? -1 : next.slot
    return next
  }
}

/** The first that is still in its slot and takes tasks; those that ended meanwhile are passed over. */
function nextOf(queue: PoolWorker[]): PoolWorker | undefined {
  while (queue.length > 0) {
    const worker = queue.shift()!
    if (worker.isReady) return worker
  }
  return undefined
}
