/** A record of the input: its place, its outcome, the reader it comes from and the writer it goes to. */

import type { RecordError } from '../../records/plain-error.js'
import type { RecordPlace } from '../../records/record-transfer.js'
import type { StretchMemory } from '../../records/stretch-memory.js'
import type { RecordArena } from './record-arena.js'

/** A record of the input, or successive short ones that travel and settle as one: a stretch of `count`. */
export class InputRecord {
  /** Position among all records of the run, from 0; of a stretch, that of its first record. */
  seq = 0
  /** How often the record was started. */
  attempts = 0
  /** When the record was handed to the dispatcher, in ms of the run's clock. */
  startedMs = 0
  /** Neighbours among what is under way, kept by the open span. */
  previous: InputRecord | undefined = undefined
  next: InputRecord | undefined = undefined
  /** Its place in the ordered span. */
  slot = 0
  /** Content key, when the run has keys. */
  key: string | undefined = undefined
  /** The record's name in the journal, once it is known. */
  journalKey: string | undefined = undefined
  /** The fault concerns the whole input, so the record cannot be skipped like a single bad record. */
  isWholeInput = false
  /** Where the text lies; of a stretch, that of its first record. `undefined` for a record that could not be read at all. */
  place: RecordPlace | undefined
  /** Index of the input file. */
  readonly input: number
  /** Line on which the record starts, from 1. */
  readonly line: number
  /** First byte of the record in its input (after decompression), from 0. */
  readonly offset: number
  /** First byte behind the record and its separator, or behind all that was read with a stretch. */
  readonly endOffset: number
  /** Why the record cannot be read, found while splitting. */
  readonly fault: string | undefined
  /** How many records it is. */
  readonly count: number

  constructor(
    place: RecordPlace | undefined,
    input: number,
    line: number,
    offset: number,
    endOffset: number,
    fault: string | undefined,
    count = 1,
  ) {
    this.place = place
    this.input = input
    this.line = line
    this.offset = offset
    this.endOffset = endOffset
    this.fault = fault
    this.count = count
  }
}

/**
 * The records of a stretch, each started once and holding its own text; the hold of the stretch is given up. Their texts were
 * noted in a slot of `memory`; `separator` is the byte that ends a record.
 */
export function splitStretch(
  stretch: InputRecord,
  memory: StretchMemory,
  memorySlot: number,
  arena: RecordArena,
  separator: number,
): InputRecord[] {
  const { count, input, offset } = stretch
  const startByte = memory.textStart(memorySlot, 0)
  const behindSeparator = (from: number): number => arena.bytes.indexOf(separator, from) + 1
  const records: InputRecord[] = []
  let line = stretch.line
  let behind = startByte
  for (let index = 0; index < count; index++) {
    const start = memory.textStart(memorySlot, index)
    const end = memory.textEnd(memorySlot, index)
    // Between two records may lie blank lines, which were passed over.
    for (; behind < start; behind = behindSeparator(behind)) line++
    behind = behindSeparator(end)
    const place = arena.hold(start, end - start)
    const [from, to] = [offset + start - startByte, offset + behind - startByte]
    const record = new InputRecord(place, input, line++, from, to, undefined)
    record.seq = stretch.seq + index
    record.startedMs = stretch.startedMs
    record.attempts = 1
    records.push(record)
  }
  arena.release(stretch)
  return records
}

/** Stands for an input that cannot be taken for records at all. */
export function faultyInput(input: number, fault: string): InputRecord {
  const record = new InputRecord(undefined, input, 1, 0, 0, fault)
  record.isWholeInput = true
  return record
}

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
  /** `result`: the line without its separator; of a stretch the bytes of all its lines, each with its separator. */
  | { readonly type: 'ok'; readonly result: string | Buffer; readonly runMs: number | undefined }
  | { readonly type: 'failed'; readonly error: RecordError }
  | { readonly type: 'skipped' }
  /** Stopped before its end; a resumed run does it again. Nothing behind it may count as finished. */
  | { readonly type: 'unfinished' }

/** Where settled records go. */
export interface SettledRecords {
  /** Bytes in the outcome are valid during the call. */
  pass(record: InputRecord, outcome: RecordOutcome): void
}

export function positionAfter({ input, endOffset, seq, count }: InputRecord): InputPosition {
  return { input, offset: endOffset, records: seq + count }
}

export function laterPosition(one: InputPosition, other: InputPosition): InputPosition {
  const isLater = other.input > one.input || (other.input === one.input && other.offset > one.offset)
  return isLater ? other : one
}

/** Where a reader notes the texts of a stretch: a slot of the stretch memory. */
export interface StretchNote {
  readonly memory: StretchMemory
  slot: number
  /** The most records that are noted. */
  most: number
  /** Set by the reader: how many records were noted. 0 means that it gave a record by itself. */
  count: number
}

/** Where the records of a run come from. `next` is asked while it gives records, then `advance`, until that gives false. */
export interface RecordReader {
  /**
   * The next record of the text that is loaded, or `undefined`. With `note` it may be a stretch, whose texts are noted there.
   * A faulty or long record comes by itself, and so does every record of a reader that knows no stretches.
   */
  next(note?: StretchNote): InputRecord | undefined
  /** Loads more text; waits for input and for free memory. False at the end of all inputs. */
  advance(): Promise<boolean>
  /** Bytes taken from the inputs, before decompression. */
  readonly bytesRead: number
  close(): Promise<void>
}
