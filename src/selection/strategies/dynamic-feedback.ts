import { OptionRangeError } from '../../base/errors.js'
import { CandidateList } from '../candidate-list.js'
import type { LoadView, SelectionStrategy } from '../load-view.js'
import type { StrategyEntry, WeightsParameter } from '../strategy-entry.js'
import { type FeedbackCoefficients, FULL_LOAD, feedbackWeight } from '../weight-formulas.js'
import { SmoothRotation } from './smooth-weighted-round-robin.js'

export interface DynamicFeedbackParameters extends WeightsParameter {
  /** A of the formula. */
  readonly amplification: number
  /** B of the formula. */
  readonly gain: number
  /** A weight changes only when it has moved by more than this. */
  readonly threshold: number
}

/** Initial weight without a given one: half of a worker's capacity should be in use. */
const DEFAULT_INITIAL_WEIGHT = 0.5

export const dynamicFeedback: StrategyEntry<'dynamic-feedback', DynamicFeedbackParameters> = {
  name: 'dynamic-feedback',
  summary: 'Weighted turns whose weights follow the reported loads, changed only beyond a threshold.',
  formula:
    'W = clamp(A * DW + B * cbrt(headroom - DW), 0, 2 * A * DW), headroom = 1 - load / 100; turns as smooth-weighted-round-robin',
  cost: 'O(n), no draw; weights only after a report',
  source: 'dynamic feedback load balancing (Linux Virtual Server)',
  whenNotTo:
    'With tasks shorter than the report period: weights lag behind, and above 1 - DW + (A * DW / B) ** 3 of load a worker gets nothing.',
  parameters: [
    {
      name: 'weights',
      type: 'weights',
      default: undefined,
      max: 1,
      meaning: `initial weight (DW) per slot, 0 to 1, 0 for no work at all; without it ${DEFAULT_INITIAL_WEIGHT} each`,
    },
    {
      name: 'amplification',
      type: 'number',
      default: 1,
      min: 0.01,
      max: 100,
      meaning: 'factor A of the initial weight',
    },
    { name: 'gain', type: 'number', default: 1, min: 0, max: 100, meaning: 'factor B of the correction' },
    {
      name: 'threshold',
      type: 'number',
      default: 0.05,
      min: 0,
      max: 100,
      meaning: 'smallest change of a weight that counts',
    },
  ],
  create: (parameters) => new DynamicFeedback(parameters),
}

class DynamicFeedback implements SelectionStrategy {
  readonly name = 'dynamic-feedback'
  readonly #weights: FeedbackWeights
  readonly #candidates: CandidateList
  readonly #rotation = new SmoothRotation()

  constructor(parameters: DynamicFeedbackParameters) {
    const initial = parameters.weights
    if (initial?.every((weight) => weight === 0)) {
      throw new OptionRangeError('strategy.weights', 'at least one initial weight must be above 0')
    }
    const initialWeight = (index: number): number => initial?.[index] ?? DEFAULT_INITIAL_WEIGHT
    this.#weights = new FeedbackWeights(initialWeight, parameters, parameters.threshold)
    this.#candidates = new CandidateList((index) => initialWeight(index) > 0)
  }

  pick(view: LoadView): number {
    this.#weights.refresh(view)
    const count = this.#candidates.refresh(view)
    if (count === 0) return -1
    const { items, values } = this.#candidates
    for (let k = 0; k < count; k++) values[k] = this.#weights.of(items[k]!)
    return this.#rotation.next(this.#candidates, view.size)
  }

  membershipChanged(): void {
    this.#rotation.reset()
  }
}

/**
 * Weights that follow the workers' reports by the dynamic feedback formula, with a dead band: a weight is replaced only
 * when it has moved by more than the threshold. Without that the weights would move at every report, because the cube
 * root is infinitely steep at its set point. O(n) after a report, O(1) between reports.
 */
export class FeedbackWeights {
  readonly #initialWeight: (index: number) => number
  readonly #coefficients: FeedbackCoefficients
  readonly #threshold: number
  #applied = new Float64Array(0)
  #size = 0
  #view: LoadView | undefined
  #version = 0

  /** @param initialWeight DW by slot, 0..1; a worker with 0 gets no work */
  constructor(initialWeight: (index: number) => number, coefficients: FeedbackCoefficients, threshold: number) {
    this.#initialWeight = initialWeight
    this.#coefficients = coefficients
    this.#threshold = threshold
  }

  /** The current weight. */
  of(index: number): number {
    return this.#applied[index]!
  }

  /** Reads new reports, if there are any. A new worker starts from `A * DW`. */
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
    for (let index = 0; index < size; index++) {
      const initial = this.#initialWeight(index)
      if (initial === 0) continue
      const headroom = 1 - Math.min(view.reportedLoad(index), FULL_LOAD) / FULL_LOAD
      const weight = feedbackWeight(initial, headroom, this.#coefficients)
      if (Math.abs(weight - this.#applied[index]!) > this.#threshold) this.#applied[index] = weight
    }
    this.#view = view
    this.#version = view.version
    this.#size = size
  }
}
