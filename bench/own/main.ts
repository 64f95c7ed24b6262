/** `bench --module ./tasks.js#task --in samples.jsonl`: strategies and windows on the user's own task. */

import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defaultParallelism } from '../../src/base/parallelism.js'
import { evenkeel } from '../commands/systems.js'
import type { Settings } from '../contenders/contender.js'
import type { Progress } from '../harness/interleave.js'
import { measureScenarios } from '../harness/measure.js'
import type { BenchReport, ScenarioResult } from '../harness/report.js'
import type { SystemSpec } from '../harness/sample.js'
import type { Scenario } from '../harness/scenario.js'
import type { OwnWorkloadParameters } from '../probes/own-workload.js'
import { checkModule } from './check-module.js'
import { type Recommendation, recommend } from './recommend.js'
import { readSamples, SampleFileError } from './samples.js'

export interface OwnOptions {
  /** Path of the module, with `#task` when it is not the default export. */
  readonly module: string
  readonly samplesFile: string
  readonly workers?: number
  readonly quick: boolean
  readonly seed: number
  readonly acceptNoise: boolean
  readonly progress: Progress
}

export interface OwnReport extends BenchReport {
  readonly recommendation: Recommendation
}

/** Strategies with the automatic window, then windows with the default strategy. */
const settingsTried: readonly Settings[] = [
  { strategy: 'least-outstanding' },
  { strategy: 'two-choices' },
  { strategy: 'round-robin' },
  { window: 1 },
  { window: 2 },
  { window: 16 },
  { takeBack: false },
]

const settingsTriedQuick: readonly Settings[] = [{ strategy: 'least-outstanding' }, { window: 2 }]

/** Longest time that a repetition may take, and so may a task. */
const TIMEOUT_MS = 60_000

/** Part of the measured capacity that the open loop asks for. */
const openLoad = 0.7

const labelOf = (settings: Settings): string =>
  `evenkeel ${Object.entries(settings)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ')}`

const settingsText = (chosen: Settings): string =>
  Object.keys(chosen).length === 0 ? 'with its defaults' : JSON.stringify(chosen)

function systemsFor(moduleUrl: string, workers: number, quick: boolean): SystemSpec[] {
  const tried = quick ? settingsTriedQuick : settingsTried
  return [
    evenkeel(workers, { module: moduleUrl }),
    ...tried.map((settings) => evenkeel(workers, { ...settings, module: moduleUrl }, labelOf(settings))),
  ]
}

/** Measures the closed loop first: its rate under the default settings is the capacity that the open loop refers to. */
export async function runOwnWorkload(options: OwnOptions): Promise<OwnReport> {
  const [path, task = 'default'] = options.module.split('#') as [string, string?]
  const moduleUrl = pathToFileURL(resolve(path)).href
  const samplesFile = resolve(options.samplesFile)
  // Read and tried here already, so that a fault of the files is told before anything is measured.
  await checkModule(moduleUrl, task, readSamples(samplesFile)[0], TIMEOUT_MS)
  const workers = options.workers ?? defaultParallelism()
  const systems = systemsFor(moduleUrl, workers, options.quick)
  const length = options.quick ? { warmUpMs: 300, measuredMs: 700 } : { warmUpMs: 500, measuredMs: 3_000 }
  const scenario = (name: string, title: string, tasksPerSecond?: number): Scenario => {
    const rate = tasksPerSecond === undefined ? {} : { tasksPerSecond }
    const parameters: OwnWorkloadParameters = { task, samplesFile, inFlight: 16 * workers, ...length, ...rate }
    const repetitions = options.quick ? 3 : 7
    return {
      name,
      title,
      probe: 'own-workload',
      parameters: { ...parameters },
      systems,
      together: false,
      repetitions,
      timeoutMs: TIMEOUT_MS,
    }
  }
  const measure = (one: Scenario): Promise<BenchReport> =>
    measureScenarios([one], { ...options, command: 'own workload' })

  const closed = await measure(scenario('closed loop', `${task}, ${16 * workers} callers, ${workers} workers`))
  const capacity = closed.results[0]?.systems[0]?.measures.tasksPerSecond?.median ?? Number.NaN
  if (!(capacity > 0)) {
    const reasons = [...closed.samples.failed, ...closed.samples.invalid].flatMap((fault) => fault.reasons)
    const [reason = 'no task settled'] = reasons.map((text) => text.split('\n', 1)[0])
    throw new SampleFileError(`${options.module} could not be measured: ${reason}`)
  }
  const rate = openLoad * capacity
  const open = await measure(
    scenario('open loop', `${task} at ${Math.round(rate)} tasks/s, ${openLoad} of capacity`, rate),
  )
  const recommendation = recommend(open.results[0] as ScenarioResult, closed.results[0] as ScenarioResult, options.seed)
  const { system, options: chosen, reason } = recommendation
  return {
    ...open,
    answer: `Recommended: ${system} ${settingsText(chosen)}: ${reason}.`,
    startedAt: closed.startedAt,
    wallMs: closed.wallMs + open.wallMs,
    results: [...closed.results, ...open.results],
    samples: {
      valid: closed.samples.valid + open.samples.valid,
      invalid: [...closed.samples.invalid, ...open.samples.invalid],
      failed: [...closed.samples.failed, ...open.samples.failed],
    },
    recommendation,
  }
}
