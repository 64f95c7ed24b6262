/** Regret: how far a system is from the best one where it is worst. */

import type { ScenarioResult } from '../harness/report.js'

export interface Regret {
  readonly system: string
  /** Largest ratio of its figure to the best figure of any system, over the scenarios. */
  readonly worst: number
  readonly scenario: string
  readonly scenarios: number
}

/** The scenarios whose latencies count from a schedule: the live ones, and the user's own task at a given rate. */
export function openLoops(results: readonly ScenarioResult[]): ScenarioResult[] {
  return results.filter(({ probe, parameters }) => probe === 'live' || parameters.tasksPerSecond !== undefined)
}

/**
 * Over the scenarios that have `measure`, a figure that is better when it is lower. A system that some scenario could
 * not measure is judged by the others; `scenarios` says by how many. Least regret first.
 */
export function regretTable(results: readonly ScenarioResult[], measure: string): Regret[] {
  const worst = new Map<string, Regret>()
  for (const result of results) {
    const figures = result.systems
      .map((system) => ({ system: system.label, median: system.measures[measure]?.median ?? Number.NaN }))
      .filter(({ median }) => median > 0)
    const best = Math.min(...figures.map(({ median }) => median))
    for (const { system, median } of figures) {
      const before = worst.get(system)
      const ratio = median / best
      const isWorse = before === undefined || ratio > before.worst
      worst.set(system, {
        system,
        worst: isWorse ? ratio : before.worst,
        scenario: isWorse ? result.name : before.scenario,
        scenarios: (before?.scenarios ?? 0) + 1,
      })
    }
  }
  return [...worst.values()].sort((a, b) => a.worst - b.worst)
}
