import type { RandomSource } from '../../base/random.js'
import { ArrivalEstimate } from '../arrival-estimate.js'
import { CandidateList } from '../candidate-list.js'
import type { LoadView, SelectionStrategy } from '../load-view.js'
import type { NoParameters, StrategyEntry } from '../strategy-entry.js'
import { waterLevel } from '../water-level.js'

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
    // Nothing arrives before the next report, so the report is as good as fresh.
    if (total === 0) return this.#candidates.smallest(this.#random)
    for (let k = 0; k < count; k++) values[k] = Math.max(0, level - values[k]!)
    return items[this.#candidates.positionOf(this.#random() * total)]!
  }
}
