import type { Smoothing } from './smoothing.js'

/** What may be left of an old value once it counts as forgotten. */
const FORGOTTEN = 0.05

/**
 * Exponentially weighted moving average: each sample moves the value by `alpha` of the distance. O(1), no
 * allocation after construction.
 */
export class Ewma implements Smoothing {
  readonly span: number
  readonly #alpha: number
  readonly #values: Float64Array

  /** @param alpha above 0, up to 1; 1 does not smooth at all */
  constructor(alpha: number, slots: number) {
    this.#alpha = alpha
    this.#values = new Float64Array(slots).fill(Number.NaN)
    // log1p: 1 - alpha of a tiny alpha is rounded to 1, which would be forgotten in no time.
    this.span = alpha === 1 ? 1 : Math.ceil(Math.log(FORGOTTEN) / Math.log1p(-alpha))
  }

  add(slot: number, value: number): number {
    const old = this.#values[slot]!
    const smoothed = Number.isNaN(old) ? value : old + this.#alpha * (value - old)
    this.#values[slot] = smoothed
    return smoothed
  }

  value(slot: number): number {
    return this.#values[slot]!
  }

  reset(slot: number): void {
    this.#values[slot] = Number.NaN
  }
}
