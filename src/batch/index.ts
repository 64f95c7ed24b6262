/** What an app needs to run a batch by itself. */

export type { Clock, Timer } from '../base/clock.js'
export type { RecordError } from '../base/plain-error.js'
export type { RandomSource } from '../base/random.js'
export type { AdmissionGate } from './admission.js'
export { BatchInputError, BatchOutputError, BatchUsageError, JournalError } from './batch-errors.js'
export type {
  BatchEvents,
  BatchProgress,
  BatchSummary,
  FailedRecord,
  SlowRecord,
  StopReason,
} from './batch-progress.js'
export type { BatchRun } from './batch-run.js'
export { type HaltRule, parseHalt, parseMaxErrors } from './halt-rule.js'
export { mapFile } from './map-file.js'
export type { MapFileOptions, OutputFormat, RecordCodecOptions, RecordFormat, ResumePolicy } from './map-options.js'
export type { BadRecordPolicy } from './record-flow.js'
export { RecordPool, type RecordPoolOptions } from './record-pool.js'
export type { TaskLimits, TaskRunner } from './record-runner.js'
export type { InputPosition } from './record-span.js'
export type { RetryOptions } from './retry-policy.js'
export type { RunCounts } from './run-counts.js'
export { freeMemoryGate, loadGate, memoryGate } from './system-gates.js'
