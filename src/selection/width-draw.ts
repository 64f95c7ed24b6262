import type { RandomSource } from '../base/random.js'
import type { CandidateList } from './candidate-list.js'
import type { LoadView } from './load-view.js'
import { LINEAR_LIMIT } from './prefix-sums.js'
import { rangeWidth } from './weight-formulas.js'

/**
 * Tries of a rejection draw before it scans. A try costs about 30 ns and succeeds with the ratio of the mean width to
 * the largest. Twelve tries cost less than a scan of 65 workers' loads. The number affects only the cost.
 */
const TRIES = 12

/**
 * Draws from the table of exact loads. They change at every post and every answer, so sums cannot be kept: the widths
 * are read for each draw.
 *
 * Up to 64 candidates: one scan, O(n). Above: rejection. A candidate is drawn uniformly and accepted with the ratio of
 * its width to the largest possible width. That gives the same distribution without reading the others, in expected
 * O(1) while the pool is not nearly saturated. When twelve tries fail, a scan follows. Either way each draw has exactly
 * the table's distribution.
 */
export class WidthDraw {
  readonly #candidates: CandidateList
  readonly #random: RandomSource
  readonly #steepness: number
  readonly #widest: number
  /** Position of the winner of `first`, or -1. */
  #first = -1
  /** Sum and number of the widths in the candidates' `values` after a scan. -1 before one. */
  #total = -1
  #owners = 0

  constructor(candidates: CandidateList, random: RandomSource, steepness: number) {
    this.#candidates = candidates
    this.#random = random
    this.#steepness = steepness
    this.#widest = rangeWidth(0, steepness)
  }

  /** A worker drawn by its width, -1 when no candidate owns a range. Takes no draw when only one does. */
  first(view: LoadView): number {
    this.#total = -1
    this.#first = -1
    this.#first = this.#draw(view)
    return this.#first < 0 ? -1 : this.#candidates.items[this.#first]!
  }

  /** A worker drawn without the winner of `first`, -1 when there is none. Call it before any load changes. */
  second(view: LoadView): number {
    const position = this.#draw(view)
    return position < 0 ? -1 : this.#candidates.items[position]!
  }

  #draw(view: LoadView): number {
    if (this.#total < 0) {
      if (this.#candidates.count > LINEAR_LIMIT) {
        const position = this.#reject(view)
        if (position >= 0) return position
      }
      this.#scan(view)
    }
    const { values } = this.#candidates
    if (this.#first >= 0 && values[this.#first]! > 0) {
      this.#total -= values[this.#first]!
      this.#owners--
      values[this.#first] = 0
    }
    return this.#candidates.positionOf(this.#owners > 1 ? this.#random() * this.#total : 0)
  }

  #reject(view: LoadView): number {
    const { items, count } = this.#candidates
    for (let tries = 0; tries < TRIES; tries++) {
      const position = Math.floor(this.#random() * count)
      if (position === this.#first) continue
      if (this.#random() * this.#widest < rangeWidth(view.load(items[position]!), this.#steepness)) return position
    }
    return -1
  }

  #scan(view: LoadView): void {
    const { items, values, count } = this.#candidates
    const steepness = this.#steepness
    let total = 0
    let owners = 0
    for (let k = 0; k < count; k++) {
      const width = rangeWidth(view.load(items[k]!), steepness)
      values[k] = width
      total += width
      if (width > 0) owners++
    }
    this.#total = total
    this.#owners = owners
  }
}
