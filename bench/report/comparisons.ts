/** Every system against evenkeel within a scenario, with interval, corrected p and verdict. */

import { seededRandom } from '../../src/base/random.js'
import type { ScenarioResult } from '../harness/report.js'
import { type BetterWhen, type Comparison, compareWithReference } from '../stats/verdict.js'

/** The figure that a scenario is about, and which way it is better. */
export interface MainMeasure {
  readonly measure: string
  readonly betterWhen: BetterWhen
}

/** In this order: a scenario is judged by the first that it has. */
const mainMeasures: readonly MainMeasure[] = [
  { measure: 'p99Ms', betterWhen: 'lower' },
  { measure: 'tasksPerSecond', betterWhen: 'higher' },
  { measure: 'usPerTask', betterWhen: 'lower' },
  { measure: 'roundTripUs', betterWhen: 'lower' },
  { measure: 'firstAnswerMs', betterWhen: 'lower' },
  { measure: 'allOthersMs', betterWhen: 'lower' },
  { measure: 'shortP99Ms', betterWhen: 'lower' },
  { measure: 'wallMs', betterWhen: 'lower' },
  { measure: 'rssMiBPerWorker', betterWhen: 'lower' },
]

export function mainMeasureOf(result: ScenarioResult): MainMeasure | undefined {
  return mainMeasures.find(({ measure }) => result.systems.some((system) => measure in system.measures))
}

export const referenceLabel = 'evenkeel'

/** A p and an interval of one repetition mean nothing. */
const fewestRepetitions = 3

/**
 * Compares with evenkeel over the repetitions that are valid for all systems compared. Empty without evenkeel or with
 * fewer than three such repetitions. A system without any valid figure is left out.
 */
export function compareWithEvenkeel(
  result: ScenarioResult,
  { measure, betterWhen }: MainMeasure,
  seed: number,
): Comparison[] {
  const usable = (value: number | null | undefined): value is number => typeof value === 'number' && value > 0
  const systems = result.systems.filter((system) => system.measures[measure]?.values.some(usable))
  const repetitions = Array.from({ length: result.repetitions }, (_, repetition) => repetition).filter((repetition) =>
    systems.every((system) => usable(system.measures[measure]?.values[repetition])),
  )
  const valuesOf = (label: string): number[] => {
    const values = systems.find((system) => system.label === label)?.measures[measure]?.values ?? []
    return repetitions.map((repetition) => values[repetition] as number)
  }
  const hasReference = systems.some((system) => system.label === referenceLabel)
  if (!hasReference || repetitions.length < fewestRepetitions) return []
  const others = systems.filter((system) => system.label !== referenceLabel)
  return compareWithReference(
    Object.fromEntries(others.map((system) => [system.label, valuesOf(system.label)])),
    valuesOf(referenceLabel),
    seededRandom(seed),
    betterWhen,
  )
}
