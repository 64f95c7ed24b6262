import type { LoadView } from './load-view.js'
import { type FeedbackCoefficients, FULL_LOAD, feedbackWeight } from './weight-formulas.js'

/**
 * Weights that follow the workers' reports by the dynamic feedback formula, with a dead band: a weight is replaced
 * only when it has moved by more than the threshold. Without it the cube root, infinitely steep at its set point,
 * would move the weights at every report. O(n) after a report, nothing between reports.
 */
export class FeedbackWeights {
  readonly #initialWeight: (index: number) => number
  readonly #coefficients: FeedbackCoefficients
  readonly #threshold: number
  #applied = new Float64Array(0)
  #size = 0
  #view: LoadView | undefined
  #version = 0
  #changes = 0

  /** @param initialWeight DW by slot, 0..1; 0 keeps a worker out of everything. */
  constructor(initialWeight: (index: number) => number, coefficients: FeedbackCoefficients, threshold: number) {
    this.#initialWeight = initialWeight
    this.#coefficients = coefficients
    this.#threshold = threshold
  }

  /** How often reports have changed the weights in force. */
  get changes(): number {
    return this.#changes
  }

  /** The weight in force. */
  of(index: number): number {
    return this.#applied[index]!
  }

  /** Takes in new reports, if there are any. A worker seen for the first time starts from `A * DW`. */
  refresh(view: LoadView): void {
    if (this.#view === view && this.#version === view.version && this.#size === view.size) return
    const size = view.size
    if (this.#applied.length < size) {
      const grown = new Float64Array(size)
      grown.set(this.#applied)
      this.#applied = grown
    }
    for (let index = this.#size; index < size; index++) {
      this.#applied[index] = this.#coefficients.amplification * this.#initialWeight(index)
    }
    let changed = false
    for (let index = 0; index < size; index++) {
      const initial = this.#initialWeight(index)
      if (initial === 0) continue
      const headroom = 1 - Math.min(view.reportedLoad(index), FULL_LOAD) / FULL_LOAD
      const weight = feedbackWeight(initial, headroom, this.#coefficients)
      if (Math.abs(weight - this.#applied[index]!) > this.#threshold) {
        this.#applied[index] = weight
        changed = true
      }
    }
    if (changed) this.#changes++
    this.#view = view
    this.#version = view.version
    this.#size = size
  }
}
