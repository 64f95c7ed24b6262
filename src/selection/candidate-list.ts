import type { LoadView } from './load-view.js'
import { LINEAR_LIMIT } from './prefix-sums.js'

/**
 * The workers a strategy may pick now, in ascending order, each with a number for the strategy's own use. Arrays are
 * kept from pick to pick and grow only with the pool. Up to 64 slots every refresh reads all slots; above, only when
 * the view's version has changed.
 */
export class CandidateList {
  /** Candidate indices. Only the first `count` entries are valid. */
  items = new Int32Array(LINEAR_LIMIT)
  /** One number per candidate, parallel to `items`: a width, weight or score of the pick in progress. */
  values = new Float64Array(LINEAR_LIMIT)
  count = 0
  readonly #admits: ((index: number) => boolean) | undefined
  #view: LoadView | undefined
  #version = 0
  #size = 0

  /** @param admits false for workers that are never candidates, whatever the view says; must not change its answer */
  constructor(admits?: (index: number) => boolean) {
    this.#admits = admits
  }

  /** Reads the candidates of the view and returns how many there are. */
  refresh(view: LoadView): number {
    const size = view.size
    if (size > LINEAR_LIMIT) {
      if (this.#view === view && this.#version === view.version && this.#size === size) return this.count
      this.#view = view
      this.#version = view.version
      this.#size = size
      if (this.items.length < size) {
        this.items = new Int32Array(size)
        this.values = new Float64Array(size)
      }
    } else {
      this.#view = undefined
    }
    const items = this.items
    const admits = this.#admits
    let count = 0
    for (let index = 0; index < size; index++) {
      if (view.isCandidate(index) && (admits === undefined || admits(index))) items[count++] = index
    }
    this.count = count
    return count
  }

  /** A candidate, each equally likely. There must be one. A single candidate takes no draw. */
  uniform(random: () => number): number {
    return this.items[this.count === 1 ? 0 : Math.floor(random() * this.count)]!
  }

  /** The candidate with the smallest of `values`, equally likely among ties. There must be one. One draw if tied. */
  smallest(random: () => number): number {
    const values = this.values
    let least = Number.POSITIVE_INFINITY
    let ties = 0
    for (let k = 0; k < this.count; k++) {
      const value = values[k]!
      if (value < least) {
        least = value
        ties = 1
      } else if (value === least) ties++
    }
    if (ties === 0) return this.uniform(random)
    let rank = ties === 1 ? 0 : Math.floor(random() * ties)
    let position = 0
    while (values[position] !== least || rank-- > 0) position++
    return this.items[position]!
  }

  /**
   * The position of the candidate in whose part of `values` the draw falls, found by subtraction. `draw` must be in [0,
   * sum of values). Never a candidate of value 0: when rounding leaves no winner, the last one with a positive value
   * wins. -1 when all values are 0.
   */
  positionOf(draw: number): number {
    const values = this.values
    let rest = draw
    let last = -1
    for (let k = 0; k < this.count; k++) {
      const value = values[k]!
      if (value === 0) continue
      last = k
      rest -= value
      if (rest < 0) break
    }
    return last
  }
}
