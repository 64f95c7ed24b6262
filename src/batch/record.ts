/** One record of the input, from the moment it is split off until it is settled and written. */

import type { RecordPlace } from '../base/record-transfer.js'

export class InputRecord {
  /** Position among all records of the run, from 0. */
  seq = 0
  /** How often the record was started. */
  attempts = 0
  /** When the record was handed to the dispatcher, in ms of the run's clock. */
  startedMs = 0
  /** Neighbours among the records under way, kept by the open span. */
  previous: InputRecord | undefined = undefined
  next: InputRecord | undefined = undefined
  /** Slot in the ordered span. */
  slot = 0
  /** Content key, when the run has keys. */
  key: string | undefined = undefined
  /** Under what name the journal knows the record, once that was worked out. */
  journalKey: string | undefined = undefined
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
}

/** Where records come from: `next` while it gives records, then `advance`, until that gives false. */
export interface RecordReader {
  /** The next record of the text that is loaded, or `undefined`. */
  next(): InputRecord | undefined
  /** Loads more text; waits for input and for free memory. False at the end of all inputs. */
  advance(): Promise<boolean>
  /** Bytes taken from the inputs, before decompression. */
  readonly bytesRead: number
  close(): Promise<void>
}
