import { OptionRangeError } from '../../base/errors.js'
import { CandidateList } from '../candidate-list.js'
import { FeedbackWeights } from '../feedback-weights.js'
import type { LoadView, SelectionStrategy } from '../load-view.js'
import { SmoothRotation } from '../smooth-rotation.js'
import type { StrategyEntry, WeightsParameter } from '../strategy-entry.js'

export interface DynamicFeedbackParameters extends WeightsParameter {
  /** A of the formula. */
  readonly amplification: number
  /** B of the formula. */
  readonly gain: number
  /** A weight changes only when it has moved by more than this. */
  readonly threshold: number
}

/** Initial weight of a worker that was given none: half of its capacity is meant to be in use. */
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
