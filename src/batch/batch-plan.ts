/** The parts of a run, put together by `mapFile`. */

import type { Clock } from '../base/clock.js'
import type { Admission } from './flow/admission.js'
import type { InFlightLimit } from './flow/in-flight-limit.js'
import type { FlowOptions } from './flow/record-flow.js'
import type { RunTimes } from './flow/run-times.js'
import type { RecordFilter } from './input/record-filter.js'
import type { RunHistory } from './journal/run-history.js'
import type { HaltRule } from './options/halt-rule.js'
import type { RecordWriter } from './output/record-writer.js'
import type { RecordArena } from './records/record-arena.js'
import type { RecordSpan, SettledRecords } from './records/record-span.js'
import type { RecordReader } from './records/record-supply.js'

export interface BatchPlan {
  readonly reader: RecordReader
  readonly arena: RecordArena
  readonly writer: RecordWriter
  readonly makeSpan: (settled: SettledRecords) => RecordSpan
  readonly flow: Pick<
    FlowOptions,
    'runner' | 'retries' | 'badRecords' | 'timeout' | 'keysChooseWorker' | 'grouped' | 'stretches'
  >
  readonly filter: RecordFilter
  readonly history: RunHistory
  readonly admission: Admission | undefined
  /** Tasks that the workers have started since the run was made, or `undefined` when that is not known. */
  readonly startedTasks: () => number | undefined
  readonly haltRules: readonly HaltRule[]
  readonly runTimes: RunTimes
  /** Records to a task; 1 unless the task takes arrays. */
  readonly groupSize: number
  readonly inFlight: InFlightLimit
  readonly inputNames: readonly string[]
  readonly totalBytes: number | undefined
  readonly totalRecords: number | undefined
  readonly mostRecords: number | undefined
  readonly clock: Clock
  /** Closes files and locks; called once, whatever happened. */
  readonly release: () => Promise<void>
}
