/** One record of the input, from the moment it is split off until it is settled and written. */

import type { RecordPlace } from '../../records/record-transfer.js'

/** What a span keeps of a record, or of records that settle as one. */
export interface SpanEntry {
  /** How many records it is. */
  readonly count: number
  /** Position of the first among all records of the run, from 0. */
  readonly seq: number
  /** When it was handed to the dispatcher, in ms of the run's clock. */
  readonly startedMs: number
  /** Index of the input, first line in it from 1, first byte in it, and first byte behind. */
  readonly input: number
  readonly line: number
  readonly offset: number
  readonly endOffset: number
  /** Neighbours among what is under way, kept by the open span. */
  previous: SpanEntry | undefined
  next: SpanEntry | undefined
  /** Number of its place in the ordered span. */
  slot: number
}

export class InputRecord implements SpanEntry {
  /** Position among all records of the run, from 0. */
  seq = 0
  /** How often the record was started. */
  attempts = 0
  /** When the record was handed to the dispatcher, in ms of the run's clock. */
  startedMs = 0
  previous: SpanEntry | undefined = undefined
  next: SpanEntry | undefined = undefined
  slot = 0
  /** Content key, when the run has keys. */
  key: string | undefined = undefined
  /** Under what name the journal knows the record, once that was worked out. */
  journalKey: string | undefined = undefined
  /** The fault is one of the whole input, which is more than a record to be passed over. */
  isWholeInput = false
  /** Where the text lies; `undefined` for a record that could not be read at all. */
  place: RecordPlace | undefined
  /** Index of the input file. */
  readonly input: number
  /** Line on which the record starts, from 1. */
  readonly line: number
  /** First byte of the record in its input (after decompression), from 0. */
  readonly offset: number
  /** First byte after the record and its separator. */
  readonly endOffset: number
  /** Why the record cannot be read, found while splitting. */
  readonly fault: string | undefined

  constructor(
    place: RecordPlace | undefined,
    input: number,
    line: number,
    offset: number,
    endOffset: number,
    fault: string | undefined,
  ) {
    this.place = place
    this.input = input
    this.line = line
    this.offset = offset
    this.endOffset = endOffset
    this.fault = fault
  }

  get count(): number {
    return 1
  }
}

/** Stands for an input that cannot be taken for records at all. */
export function faultyInput(input: number, fault: string): InputRecord {
  const record = new InputRecord(undefined, input, 1, 0, 0, fault)
  record.isWholeInput = true
  return record
}
