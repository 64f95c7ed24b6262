/** What an app needs to run a batch by itself. */

export type { Clock, Timer } from '../base/clock.js'
export type { RandomSource } from '../base/random.js'
export type { RecordError } from '../records/plain-error.js'
export type { BatchRun } from './batch-run.js'
export { freeMemoryGate, loadGate, memoryGate } from './flow/admission.js'
export type { TaskLimits, TaskRunner } from './flow/record-runner.js'
export { mapFile } from './map-file.js'
export { BatchInputError, BatchOutputError, BatchUsageError, JournalError } from './options/batch-errors.js'
export type {
  BatchEvents,
  BatchProgress,
  BatchSummary,
  FailedRecord,
  RunCounts,
  SlowRecord,
  StopReason,
} from './options/batch-progress.js'
export { type HaltRule, parseHalt, parseMaxErrors } from './options/halt-rule.js'
export type {
  AdmissionGate,
  BadRecordPolicy,
  MapFileOptions,
  OutputFormat,
  RecordCodecOptions,
  RecordFormat,
  RecordRetries as RetryOptions,
  ResumePolicy,
} from './options/map-options.js'
export { RecordPool, type RecordPoolOptions } from './record-pool.js'
export type { InputPosition } from './records/record.js'
