/** Smoothing of the loads: an exponential average or the mean of a sliding window. */

import type { LoadSmoothing } from './load-options.js'

/** A smoothed value per slot. The caller spaces the samples equally. */
export interface Smoothing {
  /** Number of samples after which an old value hardly counts. */
  readonly span: number
  /** Takes a sample and returns the smoothed value. The first sample counts as if the value had always been that. */
  add(slot: number, value: number): number
  /** The smoothed value; NaN without a sample. */
  value(slot: number): number
  /** Forgets the slot's samples. */
  reset(slot: number): void
}

/** Undefined for `'none'`. @param slots the most slots there can be */
export function newSmoothing(smoothing: LoadSmoothing, slots: number): Smoothing | undefined {
  if (smoothing === 'none') return undefined
  if ('windowSamples' in smoothing) return new SlidingWindow(smoothing.windowSamples, slots)
  return new Ewma(smoothing.ewmaAlpha, slots)
}

/** The share of an old value that may be left when it counts as forgotten. */
const FORGOTTEN = 0.05

/**
 * Exponentially weighted moving average: each sample moves the value by `alpha` of the distance. O(1), no
 * allocation after construction.
 */
class Ewma implements Smoothing {
  readonly span: number
  readonly #alpha: number
  readonly #values: Float64Array

  /** @param alpha above 0, up to 1; 1 does not smooth at all */
  constructor(alpha: number, slots: number) {
    this.#alpha = alpha
    this.#values = new Float64Array(slots).fill(Number.NaN)
    // log1p, because 1 - alpha of a tiny alpha is rounded to 1, whose logarithm is 0.
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

/**
 * Mean of the last `span` samples. A sample moves it by at most 1/span of the range of the values. O(span) a sample:
 * the sum is computed anew, so no rounding error builds up. No allocation after construction.
 */
class SlidingWindow implements Smoothing {
  readonly span: number
  readonly #samples: Float64Array
  readonly #next: Uint16Array
  readonly #means: Float64Array

  constructor(span: number, slots: number) {
    this.span = span
    this.#samples = new Float64Array(span * slots)
    this.#next = new Uint16Array(slots)
    this.#means = new Float64Array(slots).fill(Number.NaN)
  }

  add(slot: number, value: number): number {
    const start = slot * this.span
    if (Number.isNaN(this.#means[slot]!)) {
      // The first sample fills the window. A half empty one would move in larger steps.
      this.#samples.fill(value, start, start + this.span)
      this.#means[slot] = value
      return value
    }
    const next = this.#next[slot]!
    this.#samples[start + next] = value
    this.#next[slot] = (next + 1) % this.span
    let sum = 0
    for (let index = start; index < start + this.span; index++) sum += this.#samples[index]!
    const mean = sum / this.span
    this.#means[slot] = mean
    return mean
  }

  value(slot: number): number {
    return this.#means[slot]!
  }

  reset(slot: number): void {
    this.#means[slot] = Number.NaN
    this.#next[slot] = 0
  }
}
