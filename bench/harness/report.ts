/** The versioned result of a command: what `--json` prints and what `compare` reads. */

import type { Environment } from './environment.js'
import type { Parameters, SystemSpec } from './sample.js'

/** Changes when a reader of older reports would misread a newer one. */
export const reportSchema = 'evenkeel-bench/1'

/** One figure of a system over the repetitions; null where a repetition has no valid measurement. */
export interface Figure {
  readonly median: number
  readonly values: readonly (number | null)[]
}

export interface SystemResult extends SystemSpec {
  readonly version: string | null
  readonly measures: Readonly<Record<string, Figure>>
  /** Of the first valid repetition. */
  readonly series?: Readonly<Record<string, readonly number[]>>
}

export interface ScenarioResult {
  readonly name: string
  readonly title: string
  readonly probe: string
  readonly parameters: Parameters
  readonly repetitions: number
  readonly systems: readonly SystemResult[]
}

/** A figure that evenkeel set itself, and what came out. */
export interface GoalResult {
  readonly what: string
  /** NaN, printed as null, when it could not be judged. */
  readonly value: number
  readonly bound: 'at least' | 'at most'
  readonly reach: number
  readonly aim?: number
  readonly verdict: 'aim reached' | 'reached' | 'missed' | 'not judged'
  /** Values by repetition. */
  readonly values?: readonly number[]
  readonly note?: string
}

export interface SampleFault {
  readonly scenario: string
  readonly systems: readonly string[]
  readonly repetition: number
  readonly attempt: number
  readonly reasons: readonly string[]
}

export interface BenchReport {
  readonly schema: typeof reportSchema
  readonly command: string
  readonly quick: boolean
  readonly seed: number
  /** True when measurements that the noise rules reject were kept: then the figures are a look, not a finding. */
  readonly acceptNoise: boolean
  readonly startedAt: string
  readonly wallMs: number
  /** What the report says first, where that is not the regret over open loops. */
  readonly answer?: string
  readonly environment: Environment
  readonly results: readonly ScenarioResult[]
  readonly goals: readonly GoalResult[]
  /** Systems that were left out because their package is not installed. */
  readonly notInstalled: readonly string[]
  readonly samples: {
    readonly valid: number
    /** Measured and not believed; each is measured again, at most twice, unless noise was accepted. */
    readonly invalid: readonly SampleFault[]
    /** Without any answer: the probe threw, the process died or took too long. */
    readonly failed: readonly SampleFault[]
  }
}
