/**
 * Tells failures of a worker from failures of tasks. A worker that fails every task at once is mostly idle and so
 * attracts work (the sinkhole of least-loaded balancing). Tasks that throw on every worker alike are no fault of a
 * worker.
 */

import type { ThreadState } from '../../engine/thread-state.js'

/** What is needed of a worker, live or simulated. */
export interface FailingWorker {
  state: ThreadState
  /** Takes tasks, or would if it were not ejected. */
  readonly isReady: boolean
  /** Tasks that succeeded and failed so far. */
  readonly record: { readonly completed: number; readonly failed: number }
  failureShare: number
  failuresInRow: number
  resultsAtFailure: number
  creditBackMs: number
  penalised: boolean
  ejectedUntilMs: number
  ejections: number
}

/** Weight of one task in the smoothed failure share: after four failures in a row the share is above a half. */
const SHARE_WEIGHT = 0.2
/**
 * Failures are the worker's own when its share is above OWN_SHARE, and above OWN_FACTOR times the median of the others.
 */
const OWN_SHARE = 0.5
const OWN_FACTOR = 2
/** Results that the other workers must have had since the failures began, on average, before they are compared. */
const EVIDENCE_RESULTS = 5
/** Own failures in a row after which the worker is ejected, for how long at first, and at most, ms. */
const EJECT_AFTER = 5
const EJECT_MS = 1_000
const EJECT_MAX_MS = 30_000
/** Share of the live workers that may be ejected, at least one. */
const EJECT_RATIO = 0.5

/** Whose failures they are: this worker's, all workers', or unknown yet. */
type Verdict = 'own' | 'alike' | 'unknown'

export class FailureRecord {
  readonly #workers: readonly FailingWorker[]

  constructor(workers: readonly FailingWorker[]) {
    this.#workers = workers
  }

  succeeded(worker: FailingWorker): void {
    worker.failureShare -= worker.failureShare * SHARE_WEIGHT
    worker.failuresInRow = 0
    if (worker.failureShare < OWN_SHARE / 2) worker.ejections = 0
  }

  /**
   * A task that ran for `runMs` failed; a successful run takes `serviceMs`. If the failure may be the worker's own,
   * its place stays taken for the rest of that time, so failing fast attracts no work. True when the worker was
   * ejected.
   */
  failed(worker: FailingWorker, serviceMs: number, runMs: number, nowMs: number): boolean {
    worker.failureShare += (1 - worker.failureShare) * SHARE_WEIGHT
    if (worker.failuresInRow++ === 0) worker.resultsAtFailure = this.#resultsOfOthers(worker)
    if (worker.failureShare <= OWN_SHARE) return false
    const verdict = this.#judge(worker)
    if (verdict === 'alike') return false
    const restMs = Math.max(0, serviceMs - runMs)
    // Failures of one batch arrive together. While it is unknown whose they are, they count as one.
    worker.creditBackMs = verdict === 'own' ? Math.max(nowMs, worker.creditBackMs) + restMs : nowMs + restMs
    worker.penalised = worker.creditBackMs > nowMs
    if (verdict === 'unknown' || worker.failuresInRow < EJECT_AFTER || !this.#mayEject()) return false
    if (worker.state !== 'idle' && worker.state !== 'busy') return false
    worker.state = 'ejected'
    worker.ejectedUntilMs = nowMs + Math.min(EJECT_MAX_MS, EJECT_MS * 2 ** worker.ejections)
    worker.ejections++
    worker.failuresInRow = 0
    return true
  }

  /** The shares of the others count only if they had results meanwhile: one bad batch may reach one worker first. */
  #judge(worker: FailingWorker): Verdict {
    const others: number[] = []
    for (const other of this.#workers) if (other !== worker && other.isReady) others.push(other.failureShare)
    if (others.length === 0) return 'alike'
    const results = this.#resultsOfOthers(worker) - worker.resultsAtFailure
    if (results < EVIDENCE_RESULTS * others.length) return 'unknown'
    others.sort((a, b) => a - b)
    return worker.failureShare > OWN_FACTOR * others[(others.length - 1) >> 1] ? 'own' : 'alike'
  }

  #resultsOfOthers(worker: FailingWorker): number {
    let results = 0
    for (const other of this.#workers) if (other !== worker) results += other.record.completed + other.record.failed
    return results
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
