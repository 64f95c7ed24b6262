/** From the scenarios of a command to its report. */

import { contenderEntry } from '../contenders/catalogue.js'
import { median } from '../stats/quantiles.js'
import { type Environment, readEnvironment } from './environment.js'
import { type Cell, type CellSample, measureInterleaved, type Progress } from './interleave.js'
import {
  type BenchReport,
  type Figure,
  type GoalResult,
  reportSchema,
  type ScenarioResult,
  type SystemResult,
} from './report.js'
import type { SystemSpec } from './sample.js'
import type { Scenario } from './scenario.js'

export interface MeasureOptions {
  readonly command: string
  readonly quick: boolean
  readonly seed: number
  readonly progress: Progress
  readonly acceptNoise: boolean
  /** Default: the machine this runs on. */
  readonly environment?: Environment
  /** Judges the figures once they are there. */
  readonly goals?: (results: readonly ScenarioResult[]) => GoalResult[]
}

function cellsOf(scenario: Scenario): Cell[] {
  const groups = scenario.together ? [scenario.systems] : scenario.systems.map((system) => [system])
  return groups.map((systems) => ({
    scenario: scenario.name,
    repetitions: scenario.repetitions,
    timeoutMs: scenario.timeoutMs,
    sample: { probe: scenario.probe, systems, parameters: scenario.parameters },
  }))
}

function resultOf(
  scenario: Scenario,
  system: SystemSpec,
  samples: readonly CellSample[],
  version: string | null,
): SystemResult {
  const byRepetition = Array.from({ length: scenario.repetitions }, (_, repetition) =>
    samples.find(
      (sample) =>
        sample.cell.scenario === scenario.name &&
        sample.repetition === repetition &&
        sample.cell.sample.systems.some((other) => other.label === system.label),
    ),
  )
  const figures = byRepetition.map((sample) => {
    if (sample === undefined) return undefined
    const measures = sample.result.systems[system.label]?.measures
    // In a shared process the memory belongs to all of them together and says nothing of one.
    if (scenario.together || sample.peakRssBytes === undefined) return measures
    return { ...measures, peakRssMiB: sample.peakRssBytes / 2 ** 20 }
  })
  const names = new Set(figures.flatMap((measures) => Object.keys(measures ?? {})))
  const measures: Record<string, Figure> = {}
  for (const name of names) {
    const values = figures.map((all) => all?.[name] ?? null)
    measures[name] = { values, median: median(values.filter((value) => value !== null)) }
  }
  const series = byRepetition.find((sample) => sample !== undefined)?.result.systems[system.label]?.series
  return { ...system, version, measures, ...(series === undefined ? {} : { series }) }
}

/** Measures all scenarios together, interleaved, and gathers what came out. */
export async function measureScenarios(scenarios: readonly Scenario[], options: MeasureOptions): Promise<BenchReport> {
  const startedAt = new Date()
  const environment = options.environment ?? readEnvironment()
  const versionOf = (system: SystemSpec): string | null =>
    environment.packages[contenderEntry(system.contender).packageName ?? system.contender] ?? null
  const missing = (system: SystemSpec): boolean =>
    contenderEntry(system.contender).packageName !== undefined && versionOf(system) === null
  const notInstalled = new Set(
    scenarios.flatMap((scenario) => scenario.systems.filter(missing).map((each) => each.label)),
  )
  const present = scenarios.map((scenario) => ({
    ...scenario,
    systems: scenario.systems.filter((system) => !missing(system)),
  }))

  const samples = await measureInterleaved(present.flatMap(cellsOf), options)
  const results = present.map((scenario) => ({
    name: scenario.name,
    title: scenario.title,
    probe: scenario.probe,
    parameters: scenario.parameters,
    repetitions: scenario.repetitions,
    systems: scenario.systems.map((system) => resultOf(scenario, system, samples.valid, versionOf(system))),
  }))
  return {
    schema: reportSchema,
    command: options.command,
    quick: options.quick,
    seed: options.seed,
    acceptNoise: options.acceptNoise,
    startedAt: startedAt.toISOString(),
    wallMs: Date.now() - startedAt.getTime(),
    environment,
    results,
    goals: options.goals?.(results) ?? [],
    notInstalled: [...notInstalled],
    samples: { valid: samples.valid.length, invalid: samples.invalid, failed: samples.failed },
  }
}
