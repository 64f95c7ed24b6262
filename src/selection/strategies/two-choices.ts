import type { RandomSource } from '../../base/random.js'
import { CandidateList } from '../candidate-list.js'
import type { LoadView, SelectionStrategy } from '../load-view.js'
import type { NoParameters, StrategyEntry } from '../strategy-entry.js'

export const twoChoices: StrategyEntry<'two-choices', NoParameters> = {
  name: 'two-choices',
  summary: 'Two different candidates at random, the one with fewer outstanding tasks wins.',
  formula: 'argmin outstanding over two distinct uniform draws, the first among equals',
  cost: 'O(n) to find the candidates, two draws',
  source: 'the power of two choices: Azar et al. 1994, Mitzenmacher 2001',
  whenNotTo: 'When workers differ in speed: uniform draws send a slow worker more than it can do.',
  parameters: [],
  create: (_parameters, context) => new TwoChoices(context.random),
}

class TwoChoices implements SelectionStrategy {
  readonly name = 'two-choices'
  readonly #random: RandomSource
  readonly #candidates = new CandidateList()

  constructor(random: RandomSource) {
    this.#random = random
  }

  pick(view: LoadView): number {
    const count = this.#candidates.refresh(view)
    if (count === 0) return -1
    const { items } = this.#candidates
    if (count === 1) return items[0]!
    const first = Math.floor(this.#random() * count)
    // One of the other count - 1, by skipping the first: always distinct.
    const draw = Math.floor(this.#random() * (count - 1))
    const second = draw < first ? draw : draw + 1
    return items[view.outstanding(items[second]!) < view.outstanding(items[first]!) ? second : first]!
  }
}
