import type { RandomSource } from '../base/random.js'
import type { CandidateList } from './candidate-list.js'
import { LINEAR_LIMIT } from './fenwick-tree.js'
import type { LoadView } from './load-view.js'
import { rangeWidth } from './weight-formulas.js'

/**
 * Tries before a rejection draw gives up and scans. A try costs about 30 ns and succeeds with the ratio of the mean to
 * the largest width; twelve tries cost less than a scan of 65 workers' loads. Only the cost depends on it.
 */
const TRIES = 12

/**
 * Draws from the table of loads that change at every post and every answer, so that no kept sums could be right: the
 * widths are read for each draw.
 *
 * Up to 64 candidates: one scan, O(n). Above: rejection. A candidate is drawn uniformly and accepted with the ratio of
 * its width to the largest possible one; that is the same distribution without looking at the others, O(1) expected
 * while the pool is not nearly saturated, and a scan when twelve tries fail. Accepted or scanned, each draw has exactly
 * the table's distribution.
 */
export class WidthDraw {
  readonly #candidates: CandidateList
  readonly #random: RandomSource
  readonly #steepness: number
  readonly #widest: number
  /** Position of the last winner, or -1. */
  #last = -1

  constructor(candidates: CandidateList, random: RandomSource, steepness: number) {
    this.#candidates = candidates
    this.#random = random
    this.#steepness = steepness
    this.#widest = rangeWidth(0, steepness)
  }

  /** A worker drawn by its width, -1 when no candidate owns a range. No draw is spent when only one does. */
  first(view: LoadView): number {
    this.#last = -1
    return this.#draw(view)
  }

  /** A worker drawn from the table without the winner of `first`; -1 when there is no other. */
  second(view: LoadView): number {
    return this.#draw(view)
  }

  #draw(view: LoadView): number {
    const without = this.#last
    let position = -1
    if (this.#candidates.count > LINEAR_LIMIT) position = this.#reject(view, without)
    if (position < 0) position = this.#scan(view, without)
    this.#last = position
    return position < 0 ? -1 : this.#candidates.items[position]!
  }

  #reject(view: LoadView, without: number): number {
    const { items, count } = this.#candidates
    for (let tries = 0; tries < TRIES; tries++) {
      const position = Math.floor(this.#random() * count)
      if (position === without) continue
      if (this.#random() * this.#widest < rangeWidth(view.load(items[position]!), this.#steepness)) return position
    }
    return -1
  }

  #scan(view: LoadView, without: number): number {
    const { items, values, count } = this.#candidates
    let total = 0
    let owners = 0
    for (let k = 0; k < count; k++) {
      const width = k === without ? 0 : rangeWidth(view.load(items[k]!), this.#steepness)
      values[k] = width
      total += width
      if (width > 0) owners++
    }
    return this.#candidates.positionOf(owners > 1 ? this.#random() * total : 0)
  }
}
