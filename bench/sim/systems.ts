import { createStrategy, type StrategyName, type StrategySpec } from '../../src/selection/catalogue.js'
import type { SelectionStrategy } from '../../src/selection/load-view.js'
import type { DispatchFactory } from './dispatch.js'
import { centralDispatch } from './dispatch-central.js'
import { pushDispatch } from './dispatch-push.js'
import { windowedDispatch } from './dispatch-windowed.js'
import { depthLoad, modelLoad } from './load-rule.js'
import { type Delays, NO_DELAYS } from './scenario.js'
import type { SimulatedPool } from './simulated-pool.js'

/** A way to dispatch, as the regret table compares them. */
export interface System {
  readonly name: string
  readonly summary: string
  readonly dispatch: DispatchFactory
  /** Only the ideal is spared the delays of the comparison. */
  readonly delays: Delays
  /** Whether `--quick` plays it too. */
  readonly quick: boolean
}

/** A strategy of the catalogue, drawing from the simulation's own random stream. */
export function strategyOf(spec: StrategyName | StrategySpec): (simulation: SimulatedPool) => SelectionStrategy {
  return ({ random, fleet }) => createStrategy(spec, { random, size: fleet.size })
}

/** Load 100 at this many tasks: the literal rule's experiments of section 9.1 of the theory notes use it. */
const LITERAL_CAPACITY = 10

/** Two tasks is what the window allows when they run for a millisecond. */
const WINDOW_TASKS = 2

/** Tasks cross the thread boundary in about 20 µs, and a task of the scenarios runs for 1 ms. */
export const CROSSING: Delays = Object.freeze({ dispatchMs: 0.02, answerMs: 0.02, takeBackMs: 0.02 })

export const IDEAL = 'central queue, no delay'

export const systems: readonly System[] = Object.freeze([
  {
    name: IDEAL,
    summary: 'one queue, every worker fetches its next task in no time: the measure of all others',
    dispatch: centralDispatch(),
    delays: NO_DELAYS,
    quick: true,
  },
  {
    name: 'evenkeel',
    summary: 'the default dispatcher: range table, window, idle-first, take-back',
    dispatch: windowedDispatch({ strategy: strategyOf('range-table'), load: modelLoad(WINDOW_TASKS) }),
    delays: CROSSING,
    quick: true,
  },
  {
    name: 'jbsq-2',
    summary: 'central queue, at most two tasks a worker, to the one with fewest: no take-back',
    dispatch: windowedDispatch({
      strategy: strategyOf('least-outstanding'),
      load: modelLoad(WINDOW_TASKS),
      rules: { takeBack: false, failureGuard: false },
    }),
    delays: CROSSING,
    quick: false,
  },
  {
    name: 'least-outstanding',
    summary: 'pushed at once to the worker with fewest tasks',
    dispatch: pushDispatch({ strategy: strategyOf('least-outstanding'), load: modelLoad(WINDOW_TASKS) }),
    delays: CROSSING,
    quick: true,
  },
  {
    name: 'range-table, pushed',
    summary: 'pushed at once by two draws from the table on exact counts',
    dispatch: pushDispatch({ strategy: strategyOf('range-table'), load: modelLoad(WINDOW_TASKS) }),
    delays: CROSSING,
    quick: false,
  },
  {
    name: 'round-robin',
    summary: 'pushed at once to the next worker',
    dispatch: pushDispatch({ strategy: strategyOf('round-robin'), load: modelLoad(WINDOW_TASKS) }),
    delays: CROSSING,
    quick: true,
  },
  {
    name: 'literal rule',
    summary: 'pushed at once by one draw from the table of reported loads, as the first source has it',
    dispatch: pushDispatch({
      strategy: strategyOf({ name: 'range-table', draws: 1, steepness: 1, signal: 'reported' }),
      load: depthLoad(LITERAL_CAPACITY),
    }),
    delays: CROSSING,
    quick: true,
  },
])
