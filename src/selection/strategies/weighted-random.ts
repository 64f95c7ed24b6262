import type { RandomSource } from '../../base/random.js'
import { CandidateList } from '../candidate-list.js'
import type { LoadView, SelectionStrategy } from '../load-view.js'
import { firstAbove } from '../prefix-sums.js'
import { SlotWeights, weightsParameter } from '../slot-weights.js'
import type { StrategyContext, StrategyEntry, WeightsParameter } from '../strategy-entry.js'

export const weightedRandom: StrategyEntry<'weighted-random', WeightsParameter> = {
  name: 'weighted-random',
  summary: 'One draw over the prefix sums of the weights.',
  formula: 'P(worker) = weight / sum of weights; uniform when all weights are equal or 0',
  cost: 'O(n) for the sums, O(log n) for the search',
  source: "Apache Dubbo's random balancer: the first prefix sum greater than the draw",
  whenNotTo: 'With fixed weights it does not see load: a stalled worker keeps getting its share.',
  parameters: [weightsParameter],
  create: (parameters, context) => new WeightedRandom(parameters, context),
}

class WeightedRandom implements SelectionStrategy {
  readonly name = 'weighted-random'
  readonly #random: RandomSource
  readonly #weights: SlotWeights
  readonly #candidates = new CandidateList()

  constructor(parameters: WeightsParameter, context: StrategyContext) {
    this.#random = context.random
    this.#weights = new SlotWeights(parameters.weights, 'exact')
  }

  pick(view: LoadView): number {
    const count = this.#candidates.refresh(view)
    if (count === 0) return -1
    const { items, values: prefixSums } = this.#candidates
    const firstWeight = this.#weights.of(view, items[0]!)
    let total = 0
    let equal = true
    for (let k = 0; k < count; k++) {
      const weight = this.#weights.of(view, items[k]!)
      if (weight !== firstWeight) equal = false
      total += weight
      prefixSums[k] = total
    }
    if (equal) return this.#candidates.uniform(this.#random)
    return items[firstAbove(prefixSums, count, this.#random() * total)]!
  }
}
