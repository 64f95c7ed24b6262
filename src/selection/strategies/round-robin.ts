import type { LoadView, SelectionStrategy } from '../load-view.js'
import type { NoParameters, StrategyEntry } from '../strategy-entry.js'

export const roundRobin: StrategyEntry<'round-robin', NoParameters> = {
  name: 'round-robin',
  summary: 'The candidates in turn.',
  formula: 'the first candidate after the last winner, around the end',
  cost: 'O(1) while all workers are candidates, O(n) at worst; no draw',
  source: 'the textbook rule',
  whenNotTo: 'When tasks or workers differ: it feeds a stalled worker as much as a free one.',
  parameters: [],
  create: () => new RoundRobin(),
}

class RoundRobin implements SelectionStrategy {
  readonly name = 'round-robin'
  /** The last winner's slot. A slot cannot overflow, and a change of membership does not restart the turn. */
  #last = -1

  pick(view: LoadView): number {
    const size = view.size
    for (let step = 1; step <= size; step++) {
      const index = (this.#last + step) % size
      if (view.isCandidate(index)) {
        this.#last = index
        return index
      }
    }
    return -1
  }
}
