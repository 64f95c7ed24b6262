/** Which records are under way, and when a settled one may be written. */

import type { InputRecord } from './record.js'

/** A place in the inputs, between two records. */
export interface InputPosition {
  /** Index of the input. */
  readonly input: number
  /** Byte offset in it. */
  readonly offset: number
  /** Records before this place, in all inputs. */
  readonly records: number
}

/** Why a record failed, as what its task threw. */
export interface RecordError {
  readonly name: string
  readonly message: string
  readonly code?: string
}

/** How a record ended. */
export type RecordOutcome =
  | { readonly type: 'ok'; readonly line: string; readonly runMs: number | undefined }
  /** `lasting`: the record's own failure, so a resumed run need not try again unless asked. */
  | { readonly type: 'failed'; readonly error: RecordError; readonly lasting: boolean }
  | { readonly type: 'skipped' }
  /** Stopped before its end; a resumed run does it again. Nothing behind it may count as finished. */
  | { readonly type: 'unfinished' }

export type PassRecord = (record: InputRecord, outcome: RecordOutcome) => void

export interface RecordSpan {
  /** Records added and not yet passed on. */
  readonly size: number
  /** True when no further record may be added for now. */
  readonly isFull: boolean
  /** Every record before this place was passed on. */
  readonly prefix: InputPosition
  /** Takes in a record that is being started. Records come in input order. */
  add(record: InputRecord): void
  settle(record: InputRecord, outcome: RecordOutcome): void
  /** The longest under way, oldest first. */
  oldest(count: number): InputRecord[]
}

export function positionAfter(record: InputRecord): InputPosition {
  return { input: record.input, offset: record.endOffset, records: record.seq + 1 }
}

export function laterPosition(one: InputPosition, other: InputPosition): InputPosition {
  const isLater = other.input > one.input || (other.input === one.input && other.offset > one.offset)
  return isLater ? other : one
}
