/** How far a run is and how it ended: its counts, and the types of its events. */

import type { RecordError } from '../../records/plain-error.js'

/** Why a run ended before its input. */
export type StopReason =
  | { readonly type: 'halt'; readonly message: string }
  | { readonly type: 'bad-record'; readonly message: string }
  | { readonly type: 'input'; readonly error: Error }
  | { readonly type: 'output'; readonly error: Error }
  | { readonly type: 'request'; readonly message: string }
  /** The workers cannot run the task: the module cannot be loaded, there is no such task, or the pool was closed. */
  | { readonly type: 'workers'; readonly error: Error }
  | { readonly type: 'fault'; readonly error: Error }

export interface BatchCounts {
  /** Records that have their line in the output. */
  ok: number
  failed: number
  /** Bad records passed over on request. */
  skipped: number
  /** Further tries, over all records. */
  retried: number
  /** Started, but neither finished nor failed when the run was stopped. */
  unfinished: number
  /** Found finished in the journal of an earlier run. */
  resumed: number
}

/** Where a run stands. */
export interface BatchProgress extends BatchCounts {
  /** Records given to the pool and not yet done: they wait for a worker, wait at one, or run. */
  readonly posted: number
  readonly elapsedMs: number
  /** Input that is done with, in bytes before decompression. */
  readonly readBytes: number
  /** Input that an earlier run had finished, out of `readBytes`. */
  readonly resumedBytes: number
  /** Size of all inputs, when known. */
  readonly totalBytes: number | undefined
  /** Number of records that take part, when known. */
  readonly totalRecords: number | undefined
  /** The most records that can take part, when there is such a limit. */
  readonly mostRecords: number | undefined
  /** Why nothing is started at the moment, if a gate holds the run. */
  readonly heldBy: string | undefined
}

/** A record that has been running for long. */
export interface SlowRecord {
  readonly input: string
  readonly line: number
  readonly ageMs: number
}

/**
 * How a run ended. With a journal, `ok`, `failed` and `skipped` count what the files hold, earlier runs included. So
 * `failed` is the number of lines in the errors file.
 */
export interface BatchSummary extends Readonly<BatchCounts> {
  /** What this run alone did; the rest was done before. */
  readonly thisRun: RunCounts
  readonly elapsedMs: number
  readonly writtenBytes: number
  readonly stopped: StopReason | undefined
}

/** A record that failed for good, or is tried again. */
export interface FailedRecord {
  readonly input: string
  readonly line: number
  readonly offset: number
  readonly attempts: number
  readonly error: RecordError
}

/** The events of a run with their arguments. */
export interface BatchEvents {
  /** A record failed for good. */
  failure: [FailedRecord]
  /** A record is tried again after `delayMs`. */
  retry: [{ readonly input: string; readonly line: number; readonly delayMs: number; readonly error: RecordError }]
  /** Something a user should know; each kind of warning comes once. */
  warning: [string]
  /** The run was asked to stop, or stopped itself. */
  stop: [StopReason]
}

/** How many records ended in which way. */
export interface RunCounts {
  readonly ok: number
  readonly failed: number
  readonly skipped: number
}

/** `passed`: what this run wrote; `whole`: what all runs wrote, when that is known. */
export function finalCounts<T extends RunCounts & { readonly unfinished: number }>(
  counts: T,
  passed: RunCounts,
  whole: RunCounts | undefined,
): T & { readonly thisRun: RunCounts } {
  const thisRun = { ...passed }
  const settled = counts.ok + counts.failed + counts.skipped
  // Records done behind an unfinished one were not written, to keep the order: they count as unfinished too.
  const dropped = settled - thisRun.ok - thisRun.failed - thisRun.skipped
  return { ...counts, ...(whole ?? thisRun), unfinished: counts.unfinished + dropped, thisRun }
}
