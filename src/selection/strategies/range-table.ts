import { CandidateList } from '../candidate-list.js'
import type { LoadView, SelectionStrategy } from '../load-view.js'
import { ReportedTable } from '../reported-table.js'
import type { Signal } from '../slot-weights.js'
import type { StrategyContext, StrategyEntry } from '../strategy-entry.js'
import { MAX_STEEPNESS } from '../weight-formulas.js'
import { WidthDraw } from '../width-draw.js'

export interface RangeTableParameters {
  /** Distinct draws, 1 or 2. Of two, the worker with fewer outstanding tasks wins. */
  readonly draws: number
  /** Exponent of the width. */
  readonly steepness: number
  /** The load: as the dispatcher counts it (`exact`), or as the worker last reported it. */
  readonly signal: Signal
}

export const rangeTable: StrategyEntry<'range-table', RangeTableParameters> = {
  name: 'range-table',
  summary: 'Draws two workers by load-weighted ranges and keeps the one with fewer outstanding tasks.',
  formula: 'width = (100 - load + 1) ** steepness, 0 above load 100; P(worker) = width / sum of widths per draw',
  cost: 'O(n) up to 64 workers; above, O(1) expected on exact loads, O(log n) on reported ones',
  source: 'load-weighted range table (load manager); two distinct draws as in nginx `random two`',
  whenNotTo: 'When every task takes the same time and nothing ever stalls, round-robin is cheaper and as good.',
  parameters: [
    { name: 'draws', type: 'integer', default: 2, min: 1, max: 2, meaning: 'distinct draws per pick' },
    { name: 'steepness', type: 'number', default: 2, min: 0, max: MAX_STEEPNESS, meaning: 'exponent of the width' },
    {
      name: 'signal',
      type: 'choice',
      default: 'exact',
      allowed: ['exact', 'reported'],
      meaning: "load as the dispatcher counts it, or as the worker's last report has it",
    },
  ],
  create: (parameters, context) =>
    parameters.signal === 'exact' ? new ExactRangeTable(parameters, context) : new StaleRangeTable(parameters, context),
}

/** Of two draws the one with fewer outstanding tasks; the first if equal, because the widths favour it. */
function fewerOutstanding(view: LoadView, first: number, second: number): number {
  return second >= 0 && view.outstanding(second) < view.outstanding(first) ? second : first
}

class ExactRangeTable implements SelectionStrategy {
  readonly name = 'range-table'
  readonly #draws: number
  readonly #candidates = new CandidateList()
  readonly #draw: WidthDraw

  constructor(parameters: RangeTableParameters, context: StrategyContext) {
    this.#draws = parameters.draws
    this.#draw = new WidthDraw(this.#candidates, context.random, parameters.steepness)
  }

  pick(view: LoadView): number {
    this.#candidates.refresh(view)
    const first = this.#draw.first(view)
    return this.#draws === 1 || first < 0 ? first : fewerOutstanding(view, first, this.#draw.second(view))
  }
}

class StaleRangeTable implements SelectionStrategy {
  readonly name = 'range-table'
  readonly #draws: number
  readonly #table: ReportedTable

  constructor(parameters: RangeTableParameters, context: StrategyContext) {
    this.#draws = parameters.draws
    this.#table = new ReportedTable(context.random, parameters.steepness)
  }

  pick(view: LoadView): number {
    const first = this.#table.first(view)
    return this.#draws === 1 || first < 0 ? first : fewerOutstanding(view, first, this.#table.second(first))
  }
}
