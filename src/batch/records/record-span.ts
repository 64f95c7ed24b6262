/** Which records are under way, and when a settled one may be written. */

import type { RecordError } from '../../records/plain-error.js'
import type { InputStretch } from './input-stretch.js'
import type { InputRecord, SpanEntry } from './record.js'

/** A place in the inputs, between two records. */
export interface InputPosition {
  /** Index of the input. */
  readonly input: number
  /** Byte offset in it. */
  readonly offset: number
  /** Records before this place, in all inputs. */
  readonly records: number
}

/** How a record ended. */
export type RecordOutcome =
  | { readonly type: 'ok'; readonly line: string; readonly runMs: number | undefined }
  | { readonly type: 'failed'; readonly error: RecordError }
  | { readonly type: 'skipped' }
  /** Stopped before its end; a resumed run does it again. Nothing behind it may count as finished. */
  | { readonly type: 'unfinished' }

/** Where settled records go. */
export interface SettledRecords {
  pass(record: InputRecord, outcome: RecordOutcome): void
  /** All records of the stretch succeeded. `lines` is valid during the call; it is empty when they must not be written. */
  passStretch(stretch: InputStretch, lines: Buffer): void
}

export interface RecordSpan {
  /** Records added and not yet passed on. */
  readonly size: number
  /** How many further records may be added for now. */
  readonly room: number
  /** Every record before this place was passed on. */
  readonly prefix: InputPosition
  /** Takes in what is being started. Entries come in input order. */
  add(entry: SpanEntry): void
  settle(record: InputRecord, outcome: RecordOutcome): void
  /** All records of the stretch succeeded; `lines` are their results, valid during the call. */
  settleStretch(stretch: InputStretch, lines: Buffer): void
  /** From now on the records of the stretch, all of them under way, are settled one by one. */
  split(stretch: InputStretch, records: readonly InputRecord[]): void
  /** The longest under way, oldest first. */
  oldest(count: number): SpanEntry[]
}

export function positionAfter({ input, endOffset, seq, count }: SpanEntry): InputPosition {
  return { input, offset: endOffset, records: seq + count }
}

export function laterPosition(one: InputPosition, other: InputPosition): InputPosition {
  const isLater = other.input > one.input || (other.input === one.input && other.offset > one.offset)
  return isLater ? other : one
}
