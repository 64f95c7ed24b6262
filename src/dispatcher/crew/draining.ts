/**
 * Workers that have left their slot. Each finishes what it has started beside its successor, runs the module's
 * `teardown`, and ends.
 */

import type { Clock } from '../../base/clock.js'
import type { PoolWorker } from './pool-worker.js'

/** How long a worker's `teardown` may take, ms. */
const TEARDOWN_MS = 5_000

export class Draining {
  readonly #clock: Clock
  readonly #limitMs: number
  #size = 0

  /** @param limitMs how long a worker may take to finish what it has started; then its thread is ended */
  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock
    this.#limitMs = limitMs
  }

  /** Threads that have not ended yet. */
  get size(): number {
    return this.#size
  }

  /** The worker gets nothing more. */
  add(worker: PoolWorker): void {
    worker.state = 'draining'
    worker.predecessors.add(worker)
    this.#size++
    if (this.#limitMs !== Number.POSITIVE_INFINITY) this.#endAfter(worker, this.#limitMs, () => this.#giveUp(worker))
  }

  /** A worker that has finished is told to tear down, then ended. */
  settle(worker: PoolWorker): void {
    if (worker.state !== 'draining' || worker.stopping || worker.outstanding > 0 || worker.lane === undefined) return
    worker.stopping = true
    worker.lane.tell({ type: 'stop', unheard: worker.thread?.isHeard === false || undefined })
    this.#endAfter(worker, TEARDOWN_MS, () => worker.terminate())
  }

  /** The thread is gone. */
  ended(worker: PoolWorker): void {
    worker.endTimer?.stop()
    if (worker.predecessors.delete(worker)) this.#size--
  }

  /** The tasks that it still runs are bystanders: what ends them is the replacement of their worker. */
  #giveUp(worker: PoolWorker): void {
    worker.lane?.readPort()
    this.settle(worker)
    if (worker.state !== 'draining' || worker.stopping) return
    const message = `the worker was to be replaced or removed, and its tasks had not ended within closeTimeoutMs (${this.#limitMs} ms)`
    worker.uncaught ??= { error: new Error(message) }
    worker.terminate()
  }

  #endAfter(worker: PoolWorker, delayMs: number, end: () => void): void {
    worker.endTimer?.stop()
    worker.endTimer = this.#clock.after(delayMs, end)
    worker.endTimer.unref()
  }
}
