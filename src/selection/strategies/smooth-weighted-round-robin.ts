import { CandidateList } from '../candidate-list.js'
import type { LoadView, SelectionStrategy } from '../load-view.js'
import { SlotWeights, weightsParameter } from '../slot-weights.js'
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

/**
 * The core of smooth weighted round robin. At each call every candidate's credit grows by its weight. The largest
 * credit wins (the lowest slot among equals) and pays the sum of the weights, so all credits sum to 0. O(n) per call.
 * Source: nginx's upstream round robin.
 */
export class SmoothRotation {
  #credits = new Float64Array(0)

  /** Credit of a slot after the last call. */
  credit(index: number): number {
    return this.#credits[index] ?? 0
  }

  /** Sets all credits to 0. After a change of membership a new worker would inherit an old one's debt. */
  reset(): void {
    this.#credits.fill(0)
  }

  /**
   * The winner among the candidates, whose weights are in `candidates.values`. There must be a candidate. A weight of 0
   * never wins, unless all are 0: then all count alike.
   */
  next(candidates: CandidateList, slots: number): number {
    if (this.#credits.length < slots) {
      const grown = new Float64Array(slots)
      grown.set(this.#credits)
      this.#credits = grown
    }
    const { items, values, count } = candidates
    let total = 0
    for (let k = 0; k < count; k++) total += values[k]!
    const unweighted = total === 0
    if (unweighted) total = count
    let winner = -1
    let most = Number.NEGATIVE_INFINITY
    for (let k = 0; k < count; k++) {
      const weight = unweighted ? 1 : values[k]!
      if (weight === 0) continue
      const index = items[k]!
      const credit = this.#credits[index]! + weight
      this.#credits[index] = credit
      if (credit > most) {
        most = credit
        winner = index
      }
    }
    this.#credits[winner]! -= total
    return winner
  }
}
