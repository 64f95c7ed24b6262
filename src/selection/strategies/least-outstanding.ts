import type { RandomSource } from '../../base/random.js'
import { CandidateList } from '../candidate-list.js'
import type { LoadView, SelectionStrategy } from '../load-view.js'
import type { NoParameters, StrategyEntry } from '../strategy-entry.js'

export const leastOutstanding: StrategyEntry<'least-outstanding', NoParameters> = {
  name: 'least-outstanding',
  summary: 'The candidate with the fewest outstanding tasks; any of them when several have equally few.',
  formula: 'argmin outstanding',
  cost: 'O(n), one draw when tied',
  source: 'least active calls; join the shortest queue',
  whenNotTo: 'When a worker fails tasks at once: always looking free, it draws a quarter of all work to itself.',
  parameters: [],
  create: (_parameters, context) => new LeastOutstanding(context.random),
}

class LeastOutstanding implements SelectionStrategy {
  readonly name = 'least-outstanding'
  readonly #random: RandomSource
  readonly #candidates = new CandidateList()

  constructor(random: RandomSource) {
    this.#random = random
  }

  pick(view: LoadView): number {
    const count = this.#candidates.refresh(view)
    if (count === 0) return -1
    const { items, values } = this.#candidates
    for (let k = 0; k < count; k++) values[k] = view.outstanding(items[k]!)
    return this.#candidates.smallest(this.#random)
  }
}
