/**
 * Failures that are the worker's own. A worker that fails everything at once is idle most of the time and so
 * attracts work (the sinkhole of least-loaded balancing); but tasks that throw on every worker alike are honest
 * and cost nothing.
 */

import type { ThreadState } from '../../engine/thread-state.js'

/** What must be known of a worker; the live one and the simulated one have more. */
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

/** Weight of one task in the smoothed failure share: four failures in a row pass one half. */
const SHARE_WEIGHT = 0.2
/** A share above this, and above this many times the median of the others, is the worker's own. */
const OWN_SHARE = 0.5
const OWN_FACTOR = 2
/** Results that each other worker must have had, on average, since the failures began before it is compared with. */
const EVIDENCE_RESULTS = 5
/** Own failures in a row after which the worker is ejected, for how long at first, and at most, ms. */
const EJECT_AFTER = 5
const EJECT_MS = 1_000
const EJECT_MAX_MS = 30_000
/** Of the live workers, how many may be ejected: at least one, at most a half. */
const EJECT_RATIO = 0.5

/** Whose failures they are: this worker's, everybody's, or not to be told yet. */
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
   * A task that ran for `runMs` failed; such a task takes `serviceMs` when it succeeds. A failure that may be the
   * worker's own keeps its place taken for the rest of that time, so that failing fast attracts no work. True when
   * the worker was ejected.
   */
  failed(worker: FailingWorker, serviceMs: number, runMs: number, nowMs: number): boolean {
    worker.failureShare += (1 - worker.failureShare) * SHARE_WEIGHT
    if (worker.failuresInRow++ === 0) worker.resultsAtFailure = this.#resultsOfOthers(worker)
    if (worker.failureShare <= OWN_SHARE) return false
    const verdict = this.#judge(worker)
    if (verdict === 'alike') return false
    const restMs = Math.max(0, serviceMs - runMs)
    // Failures of one batch are answered together. As long as they may be everybody's, they are held against it once.
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

  /** The others' shares say something only if they had results meanwhile: a batch may fail wherever it goes first. */
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
