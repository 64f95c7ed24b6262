import type { RandomSource } from '../../base/random.js'
import { CandidateList } from '../candidate-list.js'
import type { LoadView, SelectionStrategy } from '../load-view.js'
import { SlotWeights, weightsParameter } from '../slot-weights.js'
import type { StrategyContext, StrategyEntry, WeightsParameter } from '../strategy-entry.js'

export const weightedRandomSubtract: StrategyEntry<'weighted-random-subtract', WeightsParameter> = {
  name: 'weighted-random-subtract',
  summary: 'One draw over the weights, found by subtracting one weight after the other; weights of the last reports.',
  formula: 'r = random * sum of weights; the first worker whose weight makes r negative',
  cost: 'O(n); weights are computed anew only after a report',
  source: 'weighted choice by subtraction, weights recomputed lazily',
  whenNotTo: 'Without `weights` it follows reports, which are old when tasks are short: prefer range-table.',
  parameters: [{ ...weightsParameter, meaning: 'weight per slot; without it the widths of the last reported loads' }],
  create: (parameters, context) => new WeightedRandomSubtract(parameters, context),
}

class WeightedRandomSubtract implements SelectionStrategy {
  readonly name = 'weighted-random-subtract'
  readonly #random: RandomSource
  readonly #weights: SlotWeights
  readonly #candidates = new CandidateList()
  #view: LoadView | undefined
  #version = 0
  #size = 0
  #total = 0

  constructor(parameters: WeightsParameter, context: StrategyContext) {
    this.#random = context.random
    this.#weights = new SlotWeights(parameters.weights, 'reported')
  }

  pick(view: LoadView): number {
    if (this.#view !== view || this.#version !== view.version || this.#size !== view.size) this.#weigh(view)
    const { count, items } = this.#candidates
    if (count === 0) return -1
    if (count === 1) return items[0]!
    if (this.#total === 0) return this.#candidates.uniform(this.#random)
    return items[this.#candidates.positionOf(this.#random() * this.#total)]!
  }

  #weigh(view: LoadView): void {
    const count = this.#candidates.refresh(view)
    const { items, values } = this.#candidates
    this.#total = 0
    for (let k = 0; k < count; k++) {
      const weight = this.#weights.of(view, items[k]!)
      values[k] = weight
      this.#total += weight
    }
    this.#view = view
    this.#version = view.version
    this.#size = view.size
  }
}
