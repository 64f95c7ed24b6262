import type { RandomSource } from '../base/random.js'
import type { LoadView } from './load-view.js'
import { RangeTable } from './range-table.js'
import { OUT_OF_TABLE } from './weight-formulas.js'

/**
 * Draws from a `RangeTable` of reported loads. The table is updated only when the view's version has changed (O(n), and
 * O(log n) per changed load above 64 workers). Between reports a draw costs one search.
 */
export class ReportedTable {
  readonly #table: RangeTable
  readonly #random: RandomSource
  #view: LoadView | undefined
  #version = 0
  #size = 0
  #owners = 0
  #only = -1

  constructor(random: RandomSource, steepness: number) {
    this.#table = new RangeTable({ steepness })
    this.#random = random
  }

  /** A worker drawn by its width, -1 when no candidate owns a range. Takes no draw when only one does. */
  first(view: LoadView): number {
    if (this.#view !== view || this.#version !== view.version || this.#size !== view.size) this.#follow(view)
    if (this.#owners <= 1) return this.#only
    return this.#table.pick(this.#random() * this.#table.total)
  }

  /** A worker drawn from the table without `other`, the winner of `first`; -1 when there is no other. */
  second(other: number): number {
    if (this.#owners <= 1) return -1
    const rest = this.#table.total - this.#table.width(other)
    return this.#table.pickOther(other, this.#owners > 2 ? this.#random() * rest : 0)
  }

  #follow(view: LoadView): void {
    const size = view.size
    for (let index = size; index < this.#size; index++) this.#table.remove(index)
    this.#owners = 0
    this.#only = -1
    for (let index = 0; index < size; index++) {
      const reported = view.isCandidate(index) ? view.reportedLoad(index) : OUT_OF_TABLE
      // NaN or infinite: the report could not be read, so the worker owns no range.
      const load = reported <= OUT_OF_TABLE ? Math.max(0, reported) : OUT_OF_TABLE
      if (this.#table.has(index)) this.#table.update(index, load)
      else this.#table.add(index, load)
      if (this.#table.width(index) > 0) {
        this.#owners++
        this.#only = index
      }
    }
    this.#view = view
    this.#version = view.version
    this.#size = size
  }
}
