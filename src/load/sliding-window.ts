import type { Smoothing } from './smoothing.js'

/**
 * Mean of the last `span` samples. A sample moves it by at most 1/span of the range of the values. O(span) a sample
 * (summed anew, so that no rounding error builds up), no allocation after construction.
 */
export class SlidingWindow implements Smoothing {
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
      // A full window from the first sample on: a half empty one would move in larger steps.
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
