/** What travels between the harness and a measuring process. Everything here is JSON. */

import type { ContenderName } from '../contenders/catalogue.js'
import type { Settings } from '../contenders/contender.js'

/** One pool to measure: who, how many threads, with which settings. */
export interface SystemSpec {
  /** Unique within a command; the name in every table. */
  readonly label: string
  readonly contender: ContenderName
  readonly workers: number
  readonly settings: Settings
}

/** Parameters of a probe, by name. */
export type Parameters = Readonly<Record<string, unknown>>

/** One measurement in one process of its own. */
export interface SampleSpec {
  readonly probe: string
  /** Usually one; probes that compare within one loop take several. */
  readonly systems: readonly SystemSpec[]
  readonly parameters: Parameters
  /** The same for every system of a repetition, so that figures can be compared in pairs. */
  readonly seed: number
}

/** Figures by name; the unit is in the name. */
export type Measures = Readonly<Record<string, number>>

export interface SystemFigures {
  readonly measures: Measures
  /** Time lines and the like, for plots. */
  readonly series?: Readonly<Record<string, readonly number[]>>
}

/** What a measuring process answers: figures by system label. */
export interface ProbeResult {
  readonly systems: Readonly<Record<string, SystemFigures>>
  /** Share of arrivals that the load generator sent more than 5 ms late; only open loops have it. */
  readonly generatorLateShare?: number
}

export type Probe = (spec: SampleSpec) => Promise<ProbeResult>

export type ChildAnswer =
  | { readonly ok: true; readonly result: ProbeResult }
  | { readonly ok: false; readonly message: string }
