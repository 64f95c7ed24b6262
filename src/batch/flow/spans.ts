/** Which records are under way, and when a settled one is passed on: in input order, or as soon as it settles. */

import { LinkedList } from '../../base/linked-list.js'
import { errorChars } from '../../records/plain-error.js'
import {
  type InputPosition,
  type InputRecord,
  positionAfter,
  type RecordOutcome,
  type SettledRecords,
} from '../records/record.js'

/** Held lines are bounded by size too: 64 Mi characters. */
const MAX_HELD_CHARS = 2 ** 26

const UNFINISHED: RecordOutcome = Object.freeze({ type: 'unfinished' })

export interface RecordSpan {
  /** Records added and not yet passed on. */
  readonly size: number
  /** How many further records may be added for now. */
  readonly room: number
  /** Every record before this place was passed on. */
  readonly prefix: InputPosition
  /** Takes in what is being started, in input order. */
  add(record: InputRecord): void
  /** Bytes in the outcome are valid during the call. */
  settle(record: InputRecord, outcome: RecordOutcome): void
  /** From now on the records of the stretch, all of them under way, are settled one by one. */
  split(stretch: InputRecord, records: readonly InputRecord[]): void
  /** The longest under way, oldest first. */
  oldest(count: number): InputRecord[]
}

function charsOf(outcome: RecordOutcome): number {
  if (outcome.type === 'ok') return outcome.result.length
  return outcome.type === 'failed' ? errorChars(outcome.error) : 0
}

/**
 * Keeps the output in input order: a ring of the records between the oldest unsettled one and the newest. What is
 * passed on is always a contiguous prefix of the input, so one number tells how far a run came.
 */
export class OrderedSpan implements RecordSpan {
  prefix: InputPosition
  readonly #limit: number
  readonly #settled: SettledRecords
  /** A stretch takes as many places as it has records and stands in the first. */
  readonly #records: (InputRecord | undefined)[]
  /** How the record in the same place ended; the lines of a stretch are a copy. */
  readonly #outcomes: (RecordOutcome | undefined)[]
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
    this.#records = new Array(limit)
    this.#outcomes = new Array(limit)
  }

  get size(): number {
    return this.#tail - this.#head
  }

  get room(): number {
    return this.#heldChars > MAX_HELD_CHARS ? 0 : this.#limit - this.size
  }

  add(record: InputRecord): void {
    record.slot = this.#tail % this.#limit
    this.#tail += record.count
    this.#records[record.slot] = record
  }

  settle(record: InputRecord, outcome: RecordOutcome): void {
    if (record.slot !== this.#head % this.#limit) {
      const kept = lasting(outcome)
      this.#outcomes[record.slot] = kept
      this.#heldChars += charsOf(kept)
      return
    }
    this.#pass(record, outcome)
    while (this.#head < this.#tail) {
      const slot = this.#head % this.#limit
      const next = this.#outcomes[slot]
      if (next === undefined) return
      this.#outcomes[slot] = undefined
      this.#heldChars -= charsOf(next)
      this.#pass(this.#records[slot]!, next)
    }
  }

  split(stretch: InputRecord, records: readonly InputRecord[]): void {
    for (const [index, record] of records.entries()) {
      record.slot = (stretch.slot + index) % this.#limit
      this.#records[record.slot] = record
    }
  }

  #pass(record: InputRecord, outcome: RecordOutcome): void {
    this.#head += record.count
    this.#records[record.slot] = undefined
    if (outcome.type === 'unfinished') this.#broken = true
    if (!this.#broken) this.prefix = positionAfter(record)
    this.#settled.pass(record, this.#broken ? UNFINISHED : outcome)
  }

  oldest(count: number): InputRecord[] {
    const found: InputRecord[] = []
    for (let at = this.#head; at < this.#tail && found.length < count; ) {
      const slot = at % this.#limit
      const record = this.#records[slot]!
      if (this.#outcomes[slot] === undefined) found.push(record)
      at += record.count
    }
    return found
  }
}

/** The outcome as it may be kept: its bytes are used again after the call. */
function lasting(outcome: RecordOutcome): RecordOutcome {
  if (outcome.type !== 'ok' || typeof outcome.result === 'string') return outcome
  return { type: 'ok', result: Buffer.from(outcome.result), runMs: outcome.runMs }
}

/** Passes every record on as soon as it settles, and knows which place in the input lies behind all of them. */
export class OpenSpan implements RecordSpan {
  readonly room = Number.POSITIVE_INFINITY
  size = 0
  readonly #settled: SettledRecords
  /** What is under way, oldest first. A set costs 0.15 µs a record more. */
  readonly #underWay = new LinkedList<InputRecord>()
  /** What was started last, or nothing yet. */
  #newest: InputRecord | undefined
  readonly #start: InputPosition
  /** The first record that stayed unfinished. */
  #gap: InputPosition | undefined

  constructor(start: InputPosition, settled: SettledRecords) {
    this.#start = start
    this.#settled = settled
  }

  get prefix(): InputPosition {
    const { first } = this.#underWay
    if (first !== undefined) return earlier(this.#gap, positionOf(first))
    return earlier(this.#gap, this.#newest === undefined ? this.#start : positionAfter(this.#newest))
  }

  add(record: InputRecord): void {
    this.#underWay.push(record)
    this.#newest = record
    this.size += record.count
  }

  settle(record: InputRecord, outcome: RecordOutcome): void {
    this.#underWay.remove(record)
    this.size -= record.count
    if (outcome.type === 'unfinished') this.#gap = earlier(this.#gap, positionOf(record))
    this.#settled.pass(record, outcome)
  }

  split(stretch: InputRecord, records: readonly InputRecord[]): void {
    for (const record of records) this.#underWay.insertBefore(record, stretch)
    this.#underWay.remove(stretch)
  }

  oldest(count: number): InputRecord[] {
    const found: InputRecord[] = []
    for (const record of this.#underWay) {
      if (found.length === count) break
      found.push(record)
    }
    return found
  }
}

function positionOf({ input, offset, seq }: InputRecord): InputPosition {
  return { input, offset, records: seq }
}

function earlier(one: InputPosition | undefined, other: InputPosition): InputPosition {
  return one !== undefined && one.records < other.records ? one : other
}
