import { median } from '../stats/quantiles.js'
import type { Fleet } from './fleet.js'

/** The live dispatcher's numbers: see its failure record. */
const SHARE_WEIGHT = 0.2
const OWN_SHARE = 0.5
const OWN_FACTOR = 2
const EJECT_AFTER = 5
const EJECT_MS = 1_000
const EJECT_MAX_MS = 30_000

/**
 * Keeps a worker that fails everything at once from attracting the pool's work: each failure that is the worker's own
 * costs it a mean run time, and five in a row put it out for a second, then two, four, up to thirty.
 */
export class FailureGuard {
  readonly #fleet: Fleet
  readonly #share: Float64Array
  readonly #inRow: Int32Array
  readonly #ejections: Int32Array
  readonly #shutUntilMs: Float64Array

  constructor(fleet: Fleet) {
    this.#fleet = fleet
    this.#share = new Float64Array(fleet.size)
    this.#inRow = new Int32Array(fleet.size)
    this.#ejections = new Int32Array(fleet.size)
    this.#shutUntilMs = new Float64Array(fleet.size)
  }

  isShut(worker: number, nowMs: number): boolean {
    return nowMs < this.#shutUntilMs[worker]!
  }

  succeeded(worker: number): void {
    if (this.#share[worker] === 0) return
    this.#share[worker]! *= 1 - SHARE_WEIGHT
    this.#inRow[worker] = 0
    if (this.#share[worker]! < OWN_SHARE / 2) this.#ejections[worker] = 0
  }

  /** When the worker may get work again; 0 when the failure is held against nobody. O(workers) for its own. */
  failed(worker: number, meanRunMs: number, nowMs: number): number {
    this.#share[worker]! += (1 - this.#share[worker]!) * SHARE_WEIGHT
    if (this.#share[worker]! <= OWN_SHARE || !this.#isOwn(worker)) return 0
    let untilMs = Math.max(nowMs, this.#shutUntilMs[worker]!) + meanRunMs
    if (++this.#inRow[worker]! >= EJECT_AFTER) {
      untilMs = nowMs + Math.min(EJECT_MAX_MS, EJECT_MS * 2 ** this.#ejections[worker]!)
      this.#ejections[worker]!++
      this.#inRow[worker] = 0
    }
    this.#shutUntilMs[worker] = untilMs
    return untilMs
  }

  reset(worker: number): void {
    this.#share[worker] = 0
    this.#inRow[worker] = 0
    this.#shutUntilMs[worker] = 0
  }

  /** Tasks that throw on every worker alike are honest; a majority cannot be worse than twice its median. */
  #isOwn(worker: number): boolean {
    const { up, size } = this.#fleet
    const others: number[] = []
    for (let other = 0; other < size; other++) if (other !== worker && up[other] === 1) others.push(this.#share[other]!)
    return others.length > 0 && this.#share[worker]! > OWN_FACTOR * median(others)
  }
}
