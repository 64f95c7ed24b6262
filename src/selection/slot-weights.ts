import type { LoadView } from './load-view.js'
import type { StrategyParameter } from './strategy-entry.js'
import { rangeWidth } from './weight-formulas.js'

/** The largest weight of a slot. The bound keeps sums of whole weights exact. */
const MAX_WEIGHT = 1e6

/** Steepness of the widths that replace missing weights: that of the default table. */
const DEFAULT_STEEPNESS = 2

/** The `weights` parameter of the weighted strategies. */
export const weightsParameter: StrategyParameter = {
  name: 'weights',
  type: 'weights',
  default: undefined,
  max: MAX_WEIGHT,
  meaning: "weight per slot; without it the range table's current widths",
}

/** The same for strategies that need whole weights. */
export const wholeWeightsParameter: StrategyParameter = { ...weightsParameter, type: 'integer-weights' }

export type Signal = 'exact' | 'reported'

/** Weight by slot: from the given list, or the current width in the range table. */
export class SlotWeights {
  readonly #weights: readonly number[] | undefined
  readonly #mean: number
  readonly #exact: boolean

  /**
   * @param weights one number per slot; a slot beyond the list gets the list's mean
   * @param signal the load that the widths come from when there is no list
   */
  constructor(weights: readonly number[] | undefined, signal: Signal) {
    this.#weights = weights
    this.#mean = weights === undefined ? 0 : neutralWeight(weights)
    this.#exact = signal === 'exact'
  }

  get given(): boolean {
    return this.#weights !== undefined
  }

  of(view: LoadView, index: number): number {
    if (this.#weights !== undefined) return index < this.#weights.length ? this.#weights[index]! : this.#mean
    return rangeWidth(this.#exact ? view.load(index) : view.reportedLoad(index), DEFAULT_STEEPNESS)
  }
}

/** The mean. Of whole weights it is rounded up, so that it is whole too. */
function neutralWeight(weights: readonly number[]): number {
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length
  return weights.every(Number.isInteger) ? Math.ceil(mean) : mean
}
