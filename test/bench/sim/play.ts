import type { DispatchFactory } from '../../../bench/sim/dispatch.js'
import { pushDispatch } from '../../../bench/sim/dispatch-push.js'
import { depthLoad } from '../../../bench/sim/load-rule.js'
import type { OutstandingSignal } from '../../../bench/sim/pool-view.js'
import { type RunResult, runScenario } from '../../../bench/sim/run-scenario.js'
import type { Scenario } from '../../../bench/sim/scenario.js'
import { strategyOf } from '../../../bench/sim/systems.js'
import type { StrategyName, StrategySpec } from '../../../src/selection/catalogue.js'

/** Ten like workers, Poisson arrivals, exponential runs of mean 1, reports that are never stale. */
export function pool(changes: Partial<Scenario> = {}): Scenario {
  return {
    name: 'test',
    workers: 10,
    utilisation: 0.9,
    arrivals: { kind: 'poisson' },
    service: { kind: 'exponential', meanMs: 1 },
    reports: { periodMs: 0, synchronous: true },
    ...changes,
  }
}

/** A strategy of the catalogue, pushed at once; load 100 at ten tasks, as in the published tables. */
export function pushed(
  spec: StrategyName | StrategySpec,
  { outstanding = 'exact', capacity = 10 }: { outstanding?: OutstandingSignal; capacity?: number } = {},
): DispatchFactory {
  return pushDispatch({ strategy: strategyOf(spec), load: depthLoad(capacity), outstanding })
}

export interface Averages {
  readonly mean: number
  readonly p99: number
}

/** Averages over seeds 1, 2, ...; one seed where the run is long enough. */
export function play(scenario: Scenario, dispatch: DispatchFactory, taskCount: number, seeds = 1): Averages {
  let mean = 0
  let p99 = 0
  for (let seed = 1; seed <= seeds; seed++) {
    const { response } = once(scenario, dispatch, taskCount, seed)
    mean += response.mean / seeds
    p99 += response.p99 / seeds
  }
  return { mean, p99 }
}

export function once(scenario: Scenario, dispatch: DispatchFactory, taskCount: number, seed = 1): RunResult {
  return runScenario({ scenario, dispatch, taskCount, seed })
}

/** How far a figure is off, as a share of what it should be. */
export function off(figure: number, expected: number): number {
  return Math.abs(figure / expected - 1)
}
