import { checkInteger, checkNumber } from '../base/checks.js'
import { OptionRangeError } from '../base/errors.js'
import { FenwickTree, firstAbove, LINEAR_LIMIT } from './prefix-sums.js'
import { FULL_LOAD, MAX_STEEPNESS, rangeWidth } from './weight-formulas.js'

/** A worker's part of the table: the draws from `start` to below `end`. */
export interface WorkerRange {
  readonly index: number
  readonly start: number
  readonly end: number
}

const ABSENT = -1

/** Larger than any pool. The bound keeps the sums of widths exact. */
const MAX_INDEX = 2 ** 16 - 1

/**
 * The load-weighted range table: every worker owns a range of width `(100 - load + 1) ** steepness`, and a draw in [0,
 * total) falls into one of them. Workers are numbered from 0; "none" is -1. A worker whose load is above 100 stays a
 * member but owns no range. The caller makes the draw.
 *
 * Up to 64 slots a change only marks the table as stale, and the next read rebuilds its prefix sums (O(n)); a pick is a
 * binary search. Above, a Fenwick tree takes each change in O(log n). Both give the same answer for every draw. Source:
 * the load-weighted range table of the load manager, whose mixed bounds, biased draw and ambiguous "none" (id 0) are
 * corrected here.
 */
export class RangeTable {
  readonly steepness: number
  /** Load by slot, or ABSENT. */
  #loads: number[] = []
  /** Prefix sums of the widths by slot. Valid while `#tree` is undefined and the table is not stale. */
  #prefixSums = new Float64Array(LINEAR_LIMIT)
  #tree: FenwickTree | undefined
  #total = 0
  #stale = false
  #rebuilds = 0

  constructor(options: { steepness?: number } = {}) {
    this.steepness = checkNumber('steepness', options.steepness ?? 1, 0, MAX_STEEPNESS)
  }

  /** Sum of all widths. Draws must be below it. */
  get total(): number {
    this.#refresh()
    return this.#total
  }

  /** How often the sums were computed. Reports without a change compute none. */
  get rebuilds(): number {
    return this.#rebuilds
  }

  /** Whether the worker is a member, even if it owns no range. */
  has(index: number): boolean {
    return (this.#loads[index] ?? ABSENT) !== ABSENT
  }

  /** Adds a worker. Until its first report it counts as fully loaded, so it is probed and not flooded. */
  add(index: number, load: number = FULL_LOAD): void {
    checkInteger('index', index, 0, MAX_INDEX)
    checkNumber('load', load, 0, Number.MAX_VALUE)
    if (this.has(index)) throw new OptionRangeError('index', `worker ${index} is in the table already`)
    while (this.#loads.length < index) this.#loads.push(ABSENT)
    this.#write(index, load)
  }

  /** Sets a worker's load. An equal load changes nothing. */
  update(index: number, load: number): void {
    checkNumber('load', load, 0, Number.MAX_VALUE)
    if (!this.has(index)) throw new OptionRangeError('index', `worker ${index} is not in the table`)
    if (this.#loads[index] !== load) this.#write(index, load)
  }

  /** Removes a worker. False when it was not a member. */
  remove(index: number): boolean {
    if (!this.has(index)) return false
    this.#write(index, ABSENT)
    return true
  }

  /** Width of a worker's range. 0 when it owns none. */
  width(index: number): number {
    return this.has(index) ? rangeWidth(this.#loads[index]!, this.steepness) : 0
  }

  /** The worker whose range holds `draw`, which must be in [0, total). -1 when no worker owns a range. */
  pick(draw: number): number {
    this.#refresh()
    if (this.#total === 0) return -1
    checkDraw(draw, this.#total)
    return this.#locate(draw)
  }

  /**
   * Like `pick`, from the table without worker `other`: `draw` must be in [0, total - width(other)). After `pick` it
   * gives a second, distinct worker. -1 when no other worker owns a range.
   */
  pickOther(other: number, draw: number): number {
    this.#refresh()
    const gap = this.width(other)
    if (this.#total === gap) return -1
    checkDraw(draw, this.#total - gap)
    return this.#locate(gap > 0 && draw >= this.#start(other) ? draw + gap : draw)
  }

  /** All ranges by ascending worker index, without gaps from 0 to `total`. Allocates. */
  ranges(): WorkerRange[] {
    const ranges: WorkerRange[] = []
    let start = 0
    for (let index = 0; index < this.#loads.length; index++) {
      const width = this.width(index)
      if (width > 0) ranges.push({ index, start, end: start + width })
      start += width
    }
    return ranges
  }

  #write(index: number, load: number): void {
    this.#loads[index] = load
    if (!this.#stale && this.#tree !== undefined && index < this.#tree.size) {
      this.#tree.set(index, this.width(index))
      this.#total = this.#tree.total
    } else {
      this.#stale = true
    }
  }

  #locate(draw: number): number {
    return this.#tree === undefined ? firstAbove(this.#prefixSums, this.#loads.length, draw) : this.#tree.find(draw)
  }

  #start(index: number): number {
    if (this.#tree !== undefined) return this.#tree.before(index)
    return index === 0 ? 0 : this.#prefixSums[index - 1]!
  }

  #refresh(): void {
    if (!this.#stale) return
    this.#stale = false
    this.#rebuilds++
    while (this.#loads.at(-1) === ABSENT) this.#loads.pop()
    const size = this.#loads.length
    if (size > LINEAR_LIMIT) {
      this.#tree = new FenwickTree(this.#loads.map((_, index) => this.width(index)))
      this.#total = this.#tree.total
      return
    }
    this.#tree = undefined
    this.#total = 0
    for (let index = 0; index < size; index++) {
      this.#total += this.width(index)
      this.#prefixSums[index] = this.#total
    }
  }
}

function checkDraw(draw: number, end: number): void {
  if (!(draw >= 0 && draw < end)) {
    throw new OptionRangeError('draw', `expected a number from 0 to below ${end}, got ${draw}`)
  }
}
