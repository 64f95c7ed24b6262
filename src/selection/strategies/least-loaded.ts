import type { RandomSource } from '../../base/random.js'
import { CandidateList } from '../candidate-list.js'
import type { LoadView, SelectionStrategy } from '../load-view.js'
import type { NoParameters, StrategyEntry } from '../strategy-entry.js'

export const leastLoaded: StrategyEntry<'least-loaded', NoParameters> = {
  name: 'least-loaded',
  summary: 'The candidate with the smallest reported load: the counter-example the range table was made against.',
  formula: 'argmin reported load',
  cost: 'O(n), one draw when tied',
  source: 'the rule that the load manager replaced',
  whenNotTo:
    'Ever, outside comparisons: between two reports everything goes to one worker, and when it falls the next follows.',
  parameters: [],
  create: (_parameters, context) => new LeastLoaded(context.random),
}

class LeastLoaded implements SelectionStrategy {
  readonly name = 'least-loaded'
  readonly #random: RandomSource
  readonly #candidates = new CandidateList()

  constructor(random: RandomSource) {
    this.#random = random
  }

  pick(view: LoadView): number {
    const count = this.#candidates.refresh(view)
    if (count === 0) return -1
    const { items, values } = this.#candidates
    for (let k = 0; k < count; k++) values[k] = view.reportedLoad(items[k]!)
    return this.#candidates.smallest(this.#random)
  }
}
