import type { Simulation } from './simulation.js'

/** From the state of a worker to a load of 0..100, by what the dispatcher knows and by the last report. */
export interface LoadRule {
  exact(worker: number): number
  reported(worker: number): number
}

export type LoadRuleFactory = (simulation: Simulation) => LoadRule

/** Load grows in proportion to the tasks held and is full at `capacity`; used by the published stale-report tables. */
export function depthLoad(capacity: number): LoadRuleFactory {
  const load = (depth: number): number => Math.min(100, (100 * depth) / capacity)
  return ({ fleet, scenario }) => ({
    exact: (worker) => load(fleet.outstanding[worker]!),
    reported: (worker) => load(scenario.reports.periodMs === 0 ? fleet.depth(worker) : fleet.reportedDepth[worker]!),
  })
}
