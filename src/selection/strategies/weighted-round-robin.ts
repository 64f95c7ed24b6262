import { CandidateList } from '../candidate-list.js'
import type { LoadView, SelectionStrategy } from '../load-view.js'
import { SlotWeights, wholeWeightsParameter } from '../slot-weights.js'
import type { StrategyEntry, WeightsParameter } from '../strategy-entry.js'

/**
 * Table widths are scaled to whole weights of 1 to this. With the widths themselves a worker would win hundreds of
 * calls in a row.
 */
const MOST_IN_A_ROW = 10

export const weightedRoundRobin: StrategyEntry<'weighted-round-robin', WeightsParameter> = {
  name: 'weighted-round-robin',
  summary: 'Each candidate in turn for as many calls as its weight says.',
  formula: 'offset = (call - 1) mod sum of weights; the worker whose interval of the weights holds the offset',
  cost: 'O(n), no draw',
  source: 'weighted round robin by call number',
  whenNotTo: 'It sends bursts (weights 5, 1, 1 give A A A A A B C): use smooth-weighted-round-robin.',
  parameters: [
    { ...wholeWeightsParameter, meaning: "whole weight per slot; without it the table's widths as 1 to 10" },
  ],
  create: (parameters) => new WeightedRoundRobin(parameters),
}

/**
 * The place of call number `call` (from 1) in a round of `total` calls. Numbers are exact to 2^53, which a million
 * calls a second reach in 285 years.
 */
export function callOffset(call: number, total: number): number {
  return (call - 1) % total
}

class WeightedRoundRobin implements SelectionStrategy {
  readonly name = 'weighted-round-robin'
  readonly #weights: SlotWeights
  readonly #candidates = new CandidateList()
  #calls = 0

  constructor(parameters: WeightsParameter) {
    this.#weights = new SlotWeights(parameters.weights, 'exact')
  }

  pick(view: LoadView): number {
    const count = this.#candidates.refresh(view)
    if (count === 0) return -1
    const { items, values } = this.#candidates
    let most = 0
    for (let k = 0; k < count; k++) {
      const weight = this.#weights.of(view, items[k]!)
      values[k] = weight
      if (weight > most) most = weight
    }
    const call = ++this.#calls
    if (most === 0) return items[callOffset(call, count)]!
    let total = 0
    for (let k = 0; k < count; k++) {
      if (!this.#weights.given) values[k] = Math.ceil((values[k]! * MOST_IN_A_ROW) / most)
      total += values[k]!
    }
    return items[this.#candidates.positionOf(callOffset(call, total))]!
  }
}
