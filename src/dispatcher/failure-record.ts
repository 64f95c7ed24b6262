/**
 * Failures that are the worker's own. A worker that fails everything at once is idle most of the time and so
 * attracts work (the sinkhole of least-loaded balancing); but tasks that throw on every worker alike are honest
 * and cost nothing.
 */

import type { PoolWorker } from './pool-worker.js'

/** Weight of one task in the smoothed failure share: four failures in a row pass one half. */
const SHARE_WEIGHT = 0.2
/** A share above this, and above this many times the median of the others, is the worker's own. */
const OWN_SHARE = 0.5
const OWN_FACTOR = 2
/** Own failures in a row after which the worker is ejected, for how long at first, and at most, ms. */
const EJECT_AFTER = 5
const EJECT_MS = 1_000
const EJECT_MAX_MS = 30_000
/** Of the live workers, how many may be ejected: at least one, at most a half. */
const EJECT_RATIO = 0.5

export class FailureRecord {
  readonly #workers: readonly PoolWorker[]

  constructor(workers: readonly PoolWorker[]) {
    this.#workers = workers
  }

  succeeded(worker: PoolWorker): void {
    worker.failureShare -= worker.failureShare * SHARE_WEIGHT
    worker.failuresInRow = 0
    if (worker.failureShare < OWN_SHARE / 2) worker.ejections = 0
  }

  /** @param serviceMs how long such a task takes when it succeeds. True when the worker was ejected. */
  failed(worker: PoolWorker, serviceMs: number, nowMs: number): boolean {
    worker.failureShare += (1 - worker.failureShare) * SHARE_WEIGHT
    if (worker.failureShare <= OWN_SHARE || !this.#isOwn(worker)) return false
    worker.creditBackMs = Math.max(nowMs, worker.creditBackMs) + serviceMs
    worker.penalised = true
    if (++worker.failuresInRow < EJECT_AFTER || !this.#mayEject()) return false
    if (worker.state !== 'idle' && worker.state !== 'busy') return false
    worker.state = 'ejected'
    worker.ejectedUntilMs = nowMs + Math.min(EJECT_MAX_MS, EJECT_MS * 2 ** worker.ejections)
    worker.ejections++
    worker.failuresInRow = 0
    return true
  }

  #isOwn(worker: PoolWorker): boolean {
    const others: number[] = []
    for (const other of this.#workers) if (other !== worker && other.isReady) others.push(other.failureShare)
    if (others.length === 0) return false
    others.sort((a, b) => a - b)
    return worker.failureShare > OWN_FACTOR * others[(others.length - 1) >> 1]
  }

  #mayEject(): boolean {
    let live = 0
    let ejected = 0
    for (const worker of this.#workers) {
      if (!worker.isReady) continue
      live++
      if (worker.state === 'ejected') ejected++
    }
    return live > 1 && ejected + 1 <= Math.max(1, Math.floor(live * EJECT_RATIO))
  }
}
