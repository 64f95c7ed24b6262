/** `npm run bench -- sim`: the regret table. */

import { type Environment, readEnvironment } from '../harness/environment.js'
import { shortNumber, textTable } from '../report/text-table.js'
import { measureRegret, type Regret, type ScenarioFigures } from './regret.js'
import { scenarios } from './scenarios.js'
import { CROSSING, systems } from './systems.js'

export interface SimOptions {
  /** Five systems, three seeds, 100,000 tasks each, instead of all systems, five seeds, 300,000 tasks. */
  readonly quick?: boolean
  /** First seed; the others follow it. Default 1. */
  readonly seed?: number
  /** Tasks of each run, instead of the number that `quick` sets. */
  readonly taskCount?: number
  readonly progress?: (done: number, planned: number, current: string) => void
}

export interface SimReport {
  readonly command: 'sim'
  readonly environment: Environment
  readonly quick: boolean
  readonly seeds: readonly number[]
  readonly taskCount: number
  /** One-way delays of every system but the ideal, in mean run times. */
  readonly delays: typeof CROSSING
  /** Simulated tasks per second of wall time, over all runs: the only figure here that depends on the machine. */
  readonly tasksPerSecond: number
  readonly results: readonly ScenarioFigures[]
  readonly regret: readonly Regret[]
}

/**
 * Plays the scenarios and measures every system's worst p99 against the ideal central queue. The same options give
 * the same figures on every machine; in JSON an infinite ratio (a collapsed pool) is null. About a minute and a half
 * of one core, `quick` some fifteen seconds.
 */
export async function runSim(options: SimOptions = {}): Promise<SimReport> {
  const { quick = false, seed = 1, taskCount = quick ? 100_000 : 300_000, progress } = options
  const seeds = Array.from({ length: quick ? 3 : 5 }, (_, i) => seed + i)
  const chosen = quick ? systems.filter((system) => system.quick) : systems
  const startedMs = performance.now()
  const { figures, regret } = await measureRegret({
    scenarios,
    systems: chosen,
    seeds,
    taskCount,
    ...(progress === undefined ? {} : { progress }),
  })
  const played = scenarios.length * chosen.length * seeds.length * taskCount
  return {
    command: 'sim',
    environment: readEnvironment(),
    quick,
    seeds,
    taskCount,
    delays: CROSSING,
    tasksPerSecond: Math.round(played / ((performance.now() - startedMs) / 1_000)),
    results: figures,
    regret,
  }
}

/** The report as tables for a terminal. */
export function simText({ results, regret, seeds, taskCount, tasksPerSecond }: SimReport): string {
  const names = [...new Set(results.map(({ scenario }) => scenario))]
  const cell = (ratio: number): string => (ratio === Number.POSITIVE_INFINITY ? 'collapse' : shortNumber(ratio))
  const rows = regret.map(({ system, worst }) => [
    system,
    ...names.map((name) => cell(results.find((each) => each.system === system && each.scenario === name)!.ratio)),
    cell(worst),
  ])
  const { dispatchMs, answerMs, takeBackMs } = CROSSING
  return [
    `p99 against a central queue without delay: median of ${seeds.length} seeds, ${taskCount.toLocaleString('en-US')} tasks each,`,
    `dispatch, answer and take-back late by ${dispatchMs}, ${answerMs} and ${takeBackMs} mean run times`,
    '',
    textTable(['system', ...names, 'worst'], rows),
    '',
    `${shortNumber(tasksPerSecond)} simulated tasks a second`,
    '',
    ...systems
      .filter(({ name }) => regret.some(({ system }) => system === name))
      .map(({ name, summary }) => `${name}: ${summary}`),
  ].join('\n')
}
