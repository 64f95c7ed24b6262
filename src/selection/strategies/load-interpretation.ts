import type { RandomSource } from '../../base/random.js'
import { CandidateList } from '../candidate-list.js'
import type { LoadView, SelectionStrategy } from '../load-view.js'
import type { NoParameters, StrategyEntry } from '../strategy-entry.js'

export const loadInterpretation: StrategyEntry<'load-interpretation', NoParameters> = {
  name: 'load-interpretation',
  summary:
    'Weighs reported queue depths by how many tasks arrive before the next report: a range table of the right width.',
  formula:
    'P(worker) = max(0, F - depth) / L, F such that the sum of max(0, F - depth) is L, the arrivals per report period',
  cost: 'O(n) to O(n log n), one draw',
  source: "Dahlin's Basic Load Interpretation, ICDCS 1999, IEEE TPDS 11(10), 2000",
  whenNotTo:
    "Where exact counts are at hand, as in one process: it makes the best of reports, and a stalled worker's report stays good.",
  parameters: [],
  create: (_parameters, context) => new LoadInterpretation(context.random),
}

class LoadInterpretation implements SelectionStrategy {
  readonly name = 'load-interpretation'
  readonly #random: RandomSource
  readonly #candidates = new CandidateList()
  readonly #estimate = new ArrivalEstimate()

  constructor(random: RandomSource) {
    this.#random = random
  }

  pick(view: LoadView): number {
    const arrivals = this.#estimate.observe(view)
    if (this.#candidates.refresh(view) === 0) return -1
    this.#estimate.count()
    return this.#place(view, arrivals)
  }

  #place(view: LoadView, arrivals: number): number {
    const { items, values, count } = this.#candidates
    if (count === 1) return items[0]!
    for (let k = 0; k < count; k++) values[k] = view.reportedDepth(items[k]!)
    const level = waterLevel(values, count, arrivals)
    let total = 0
    for (let k = 0; k < count; k++) total += Math.max(0, level - values[k]!)
    // No task arrives before the next report, so the report is as good as fresh.
    if (total === 0) return this.#candidates.smallest(this.#random)
    for (let k = 0; k < count; k++) values[k] = Math.max(0, level - values[k]!)
    return items[this.#candidates.positionOf(this.#random() * total)]!
  }
}

/**
 * Weight of one sample. Every worker gives one sample per report, so ten workers renew three quarters of the estimate
 * within one report period. A cautious guess: the strategy loses 10 % when the estimate is wrong by a factor of two
 * (simulated), and samples scatter by 1 / sqrt(arrivals).
 */
const SAMPLE_WEIGHT = 1 / 8

/**
 * Estimates how many tasks arrive, over all workers, between two reports of one worker. No clock is read: a report is
 * new when its age is less than at the last pick. The picks between two new reports of a worker are one sample.
 * O(slots) per pick.
 */
export class ArrivalEstimate {
  #lastAgesMs = new Float64Array(0)
  /** Picks made before the worker's last report. NaN before its first. */
  #picksAtReport = new Float64Array(0)
  #picks = 0
  #arrivals = -1

  /** Reads the reports' ages before a pick. Returns the arrivals expected in one report period. */
  observe(view: LoadView): number {
    const size = view.size
    if (this.#lastAgesMs.length < size) this.#grow(size)
    for (let index = 0; index < size; index++) {
      const ageMs = view.reportAgeMs(index)
      const lastAgeMs = this.#lastAgesMs[index]!
      if (ageMs < lastAgeMs) {
        const sample = this.#picks - this.#picksAtReport[index]!
        if (sample >= 0) this.#take(sample)
        // The first sight may be in the middle of a period, so counting starts at the next report.
        this.#picksAtReport[index] = lastAgeMs === Number.POSITIVE_INFINITY ? Number.NaN : this.#picks
      }
      this.#lastAgesMs[index] = ageMs >= 0 ? ageMs : Number.POSITIVE_INFINITY
    }
    // Before the first whole period: as many tasks as workers, a value between "fresh" and "useless" reports.
    return this.#arrivals < 0 ? size : this.#arrivals
  }

  /** Counts one pick. */
  count(): void {
    this.#picks++
  }

  #take(sample: number): void {
    this.#arrivals = this.#arrivals < 0 ? sample : this.#arrivals + (sample - this.#arrivals) * SAMPLE_WEIGHT
  }

  #grow(size: number): void {
    const known = this.#lastAgesMs.length
    const lastAgesMs = new Float64Array(size).fill(Number.POSITIVE_INFINITY, known)
    lastAgesMs.set(this.#lastAgesMs)
    const picksAtReport = new Float64Array(size).fill(Number.NaN, known)
    picksAtReport.set(this.#picksAtReport)
    this.#lastAgesMs = lastAgesMs
    this.#picksAtReport = picksAtReport
  }
}

/**
 * The level F up to which `arrivals` tasks fill the shortest queues: `sum of max(0, F - depth) = arrivals`. Queues
 * above the level are left out and the level is computed again, until there are none: at most n rounds, two or three in
 * practice. No sorting, no allocation. `count` is at least 1.
 */
export function waterLevel(depths: ArrayLike<number>, count: number, arrivals: number): number {
  let level = Number.POSITIVE_INFINITY
  let below = -1
  for (;;) {
    let sum = 0
    let members = 0
    for (let k = 0; k < count; k++) {
      if (depths[k]! <= level) {
        sum += depths[k]!
        members++
      }
    }
    // By rounding, a lone queue can be slightly above its own level.
    if (members === below || members === 0) return level
    below = members
    level = (arrivals + sum) / members
  }
}
