/** Questions to the results of a command: figures, ratios in pairs of repetitions, and goals. */

import { median } from '../stats/quantiles.js'
import type { GoalResult, ScenarioResult, SystemResult } from './report.js'

export function systemOf(
  results: readonly ScenarioResult[],
  scenario: string,
  label: string,
): SystemResult | undefined {
  return results.find((result) => result.name === scenario)?.systems.find((system) => system.label === label)
}

/** Where a figure stands in the results. */
export interface FigurePlace {
  readonly scenario: string
  readonly system: string
  readonly measure: string
}

export function figureMedian(results: readonly ScenarioResult[], place: FigurePlace): number {
  return systemOf(results, place.scenario, place.system)?.measures[place.measure]?.median ?? Number.NaN
}

/** Ratios of two figures, one for each repetition in which both are valid: the two ran under the same conditions. */
export function pairedRatios(results: readonly ScenarioResult[], over: FigurePlace, under: FigurePlace): number[] {
  const overs = systemOf(results, over.scenario, over.system)?.measures[over.measure]?.values ?? []
  const unders = systemOf(results, under.scenario, under.system)?.measures[under.measure]?.values ?? []
  const ratios: number[] = []
  overs.forEach((value, repetition) => {
    const other = unders[repetition]
    if (value !== null && other !== null && other !== undefined) ratios.push(value / other)
  })
  return ratios
}

/** The system with the best median among those whose label passes. */
export function bestSystem(
  results: readonly ScenarioResult[],
  scenario: string,
  measure: string,
  direction: 'largest' | 'smallest',
  passes: (label: string) => boolean,
): string | undefined {
  const sign = direction === 'largest' ? -1 : 1
  const systems = results.find((result) => result.name === scenario)?.systems ?? []
  return systems
    .filter((system) => passes(system.label) && !Number.isNaN(system.measures[measure]?.median ?? Number.NaN))
    .map((system) => ({ label: system.label, value: sign * (system.measures[measure]?.median as number) }))
    .sort((a, b) => a.value - b.value)[0]?.label
}

export interface Goal {
  readonly what: string
  readonly bound: 'at least' | 'at most'
  readonly reach: number
  readonly aim?: number
}

/** Judges the median of `values`; `note` says what the reader must know, `voided` why the goal cannot be judged. */
export function judge(goal: Goal, values: readonly number[], note?: string, voided = false): GoalResult {
  const value = median(values)
  const meets = (limit: number): boolean => (goal.bound === 'at least' ? value >= limit : value <= limit)
  const verdict =
    voided || Number.isNaN(value)
      ? 'not judged'
      : goal.aim !== undefined && meets(goal.aim)
        ? 'aim reached'
        : meets(goal.reach)
          ? 'reached'
          : 'missed'
  return { ...goal, value, values, verdict, ...(note === undefined ? {} : { note }) }
}
