import { type LatencySummary, summarizeLatencies } from '../stats/quantiles.js'
import type { DispatchFactory } from './dispatch.js'
import type { Measures } from './measures.js'
import { type Delays, NO_DELAYS, type Scenario } from './scenario.js'
import { Simulation } from './simulation.js'

export interface RunOptions {
  readonly scenario: Scenario
  readonly dispatch: DispatchFactory
  readonly taskCount: number
  readonly seed: number
  /** Default: none. */
  readonly delays?: Delays
}

export interface RunResult {
  /** Milliseconds from submit to answer. Infinite where tasks were left when the run collapsed. */
  readonly response: LatencySummary
  readonly measures: Measures
  /** Posts by worker. */
  readonly dispatched: Int32Array
  readonly simulatedMs: number
}

/** Share of the tasks, from the first on, that only fill the empty pool and are not measured. */
const WARM_UP_SHARE = 0.05

/** One run, about 1 µs of this thread per task at 10 workers. The same options give the same result everywhere. */
export function runScenario({ scenario, dispatch, taskCount, seed, delays = NO_DELAYS }: RunOptions): RunResult {
  const simulation = new Simulation({ scenario, delays, taskCount, seed, dispatch })
  simulation.run()
  const { tasks, measures, fleet, nowMs } = simulation
  const measured = tasks.responseMs.subarray(Math.floor(taskCount * WARM_UP_SHARE))
  for (let i = 0; measures.unsettled > 0 && i < measured.length; i++) {
    if (Number.isNaN(measured[i]!)) measured[i] = Number.POSITIVE_INFINITY
  }
  return { response: summarizeLatencies(measured), measures, dispatched: fleet.dispatched, simulatedMs: nowMs }
}
