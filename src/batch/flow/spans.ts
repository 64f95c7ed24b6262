/**
 * Keeps the output in input order: a ring of the records between the oldest unsettled one and the newest. What is
 * passed on is always a contiguous prefix of the input, so one number tells how far a run came.
 */

import { errorChars } from '../../records/plain-error.js'
import type { InputStretch } from '../records/input-stretch.js'
import type { InputRecord, SpanEntry } from '../records/record.js'
import {
  type InputPosition,
  positionAfter,
  type RecordOutcome,
  type RecordSpan,
  type SettledRecords,
} from '../records/record-span.js'

/** Held lines are bounded by size too: 64 Mi characters. */
const MAX_HELD_CHARS = 2 ** 26

const NO_LINES = Buffer.alloc(0)

function charsOf(outcome: RecordOutcome): number {
  if (outcome.type === 'ok') return outcome.line.length
  return outcome.type === 'failed' ? errorChars(outcome.error) : 0
}

export class OrderedSpan implements RecordSpan {
  prefix: InputPosition
  readonly #limit: number
  readonly #settled: SettledRecords
  /** A stretch takes as many places as it has records and stands in the first. */
  readonly #entries: (SpanEntry | undefined)[]
  /** How the entry in the same place ended; the lines of a stretch are a copy. */
  readonly #outcomes: (RecordOutcome | Buffer | undefined)[]
  /** Counts of records passed on and added; their places are these modulo the limit. */
  #head = 0
  #tail = 0
  #heldChars = 0
  /** An unfinished record was reached: nothing behind it is passed on any more. */
  #broken = false

  constructor(limit: number, start: InputPosition, settled: SettledRecords) {
    this.#limit = limit
    this.#settled = settled
    this.prefix = start
    this.#entries = new Array(limit)
    this.#outcomes = new Array(limit)
  }

  get size(): number {
    return this.#tail - this.#head
  }

  get room(): number {
    return this.#heldChars > MAX_HELD_CHARS ? 0 : this.#limit - this.size
  }

  add(entry: SpanEntry): void {
    entry.slot = this.#tail % this.#limit
    this.#tail += entry.count
    this.#entries[entry.slot] = entry
  }

  settle(record: InputRecord, outcome: RecordOutcome): void {
    this.#outcomes[record.slot] = outcome
    this.#heldChars += charsOf(outcome)
    this.#passSettled()
  }

  settleStretch(stretch: InputStretch, lines: Buffer): void {
    if (stretch.slot === this.#head % this.#limit) {
      this.#passStretch(stretch, lines)
      this.#passSettled()
      return
    }
    this.#outcomes[stretch.slot] = Buffer.from(lines)
    this.#heldChars += lines.length
  }

  split(stretch: InputStretch, records: readonly InputRecord[]): void {
    for (const [index, record] of records.entries()) {
      record.slot = (stretch.slot + index) % this.#limit
      this.#entries[record.slot] = record
    }
  }

  #passSettled(): void {
    while (this.#head < this.#tail) {
      const slot = this.#head % this.#limit
      const outcome = this.#outcomes[slot]
      if (outcome === undefined) return
      const entry = this.#entries[slot]!
      if (Buffer.isBuffer(outcome)) {
        this.#heldChars -= outcome.length
        this.#passStretch(entry as InputStretch, outcome)
      } else {
        this.#passRecord(entry as InputRecord, outcome)
      }
    }
  }

  #passStretch(stretch: InputStretch, lines: Buffer): void {
    this.#leave(stretch)
    if (!this.#broken) this.prefix = positionAfter(stretch)
    this.#settled.passStretch(stretch, this.#broken ? NO_LINES : lines)
  }

  #passRecord(record: InputRecord, outcome: RecordOutcome): void {
    this.#leave(record)
    this.#heldChars -= charsOf(outcome)
    if (outcome.type === 'unfinished') this.#broken = true
    if (!this.#broken) {
      this.prefix = positionAfter(record)
      this.#settled.pass(record, outcome)
    } else {
      this.#settled.pass(record, { type: 'unfinished' })
    }
  }

  #leave(entry: SpanEntry): void {
    this.#head += entry.count
    this.#entries[entry.slot] = undefined
    this.#outcomes[entry.slot] = undefined
  }

  oldest(count: number): SpanEntry[] {
    const found: SpanEntry[] = []
    for (let at = this.#head; at < this.#tail && found.length < count; ) {
      const slot = at % this.#limit
      const entry = this.#entries[slot]!
      if (this.#outcomes[slot] === undefined) found.push(entry)
      at += entry.count
    }
    return found
  }
}
