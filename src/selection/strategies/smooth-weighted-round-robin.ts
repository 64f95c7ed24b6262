import { CandidateList } from '../candidate-list.js'
import type { LoadView, SelectionStrategy } from '../load-view.js'
import { SlotWeights, weightsParameter } from '../slot-weights.js'
import { SmoothRotation } from '../smooth-rotation.js'
import type { StrategyEntry, WeightsParameter } from '../strategy-entry.js'

export const smoothWeightedRoundRobin: StrategyEntry<'smooth-weighted-round-robin', WeightsParameter> = {
  name: 'smooth-weighted-round-robin',
  summary: 'Weighted turns without bursts.',
  formula: 'credit += weight for all; the largest credit wins and pays the sum of the weights',
  cost: 'O(n), no draw',
  source: "nginx's smooth weighted round robin",
  whenNotTo: 'With fixed weights it does not see load: a stalled worker keeps getting its share.',
  parameters: [weightsParameter],
  create: (parameters) => new SmoothWeightedRoundRobin(parameters),
}

class SmoothWeightedRoundRobin implements SelectionStrategy {
  readonly name = 'smooth-weighted-round-robin'
  readonly #weights: SlotWeights
  readonly #candidates = new CandidateList()
  readonly #rotation = new SmoothRotation()

  constructor(parameters: WeightsParameter) {
    this.#weights = new SlotWeights(parameters.weights, 'exact')
  }

  pick(view: LoadView): number {
    const count = this.#candidates.refresh(view)
    if (count === 0) return -1
    const { items, values } = this.#candidates
    for (let k = 0; k < count; k++) values[k] = this.#weights.of(view, items[k]!)
    return this.#rotation.next(this.#candidates, view.size)
  }

  membershipChanged(): void {
    this.#rotation.reset()
  }
}
