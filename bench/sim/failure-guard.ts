import { type FailingWorker, FailureRecord } from '../../src/dispatcher/crew/failure-record.js'
import type { Fleet } from './fleet.js'

/** A simulated worker as the live dispatcher's failure record sees it. */
class GuardedWorker implements FailingWorker {
  state: FailingWorker['state'] = 'busy'
  readonly record = { completed: 0, failed: 0 }
  failureShare = 0
  failuresInRow = 0
  resultsAtFailure = 0
  creditBackMs = 0
  penalised = false
  ejectedUntilMs = 0
  ejections = 0
  readonly #fleet: Fleet
  readonly #slot: number

  constructor(fleet: Fleet, slot: number) {
    this.#fleet = fleet
    this.#slot = slot
  }

  get isReady(): boolean {
    return this.#fleet.up[this.#slot] === 1
  }

  get openAtMs(): number {
    return Math.max(this.creditBackMs, this.ejectedUntilMs)
  }
}

/** The live failure record over simulated workers: one that fails everything at once attracts no work. */
export class FailureGuard {
  readonly #workers: readonly GuardedWorker[]
  readonly #record: FailureRecord

  constructor(fleet: Fleet) {
    this.#workers = Array.from({ length: fleet.size }, (_, slot) => new GuardedWorker(fleet, slot))
    this.#record = new FailureRecord(this.#workers)
  }

  isShut(slot: number, nowMs: number): boolean {
    return nowMs < this.#workers[slot]!.openAtMs
  }

  succeeded(slot: number): void {
    const worker = this.#workers[slot]!
    worker.record.completed++
    if (worker.failureShare > 0) this.#record.succeeded(worker)
  }

  /** When the worker may get work again; 0 when the failure is held against nobody. O(workers). */
  failed(slot: number, serviceMs: number, runMs: number, nowMs: number): number {
    const worker = this.#workers[slot]!
    worker.record.failed++
    if (worker.state === 'ejected' && nowMs >= worker.ejectedUntilMs) worker.state = 'busy'
    this.#record.failed(worker, serviceMs, runMs, nowMs)
    return worker.openAtMs > nowMs ? worker.openAtMs : 0
  }

  /** Another thread fills the slot. */
  reset(slot: number): void {
    const worker = this.#workers[slot]!
    worker.state = 'busy'
    worker.failureShare = 0
    worker.failuresInRow = 0
    worker.creditBackMs = 0
    worker.ejectedUntilMs = 0
  }
}
