/**
 * Keeps the output in input order: a ring of the records between the oldest unsettled one and the newest. What is
 * passed on is always a contiguous prefix of the input, so one number tells how far a run came.
 */

import type { InputRecord } from './record.js'
import {
  type InputPosition,
  type PassRecord,
  positionAfter,
  type RecordOutcome,
  type RecordSpan,
} from './record-span.js'

/** Held lines are bounded by size too: 64 Mi characters. */
const MAX_HELD_CHARS = 2 ** 26

export class OrderedSpan implements RecordSpan {
  prefix: InputPosition
  readonly #limit: number
  readonly #pass: PassRecord
  readonly #records: (InputRecord | undefined)[]
  readonly #outcomes: (RecordOutcome | undefined)[]
  /** Counts of records passed on and added; their slots are these modulo the limit. */
  #head = 0
  #tail = 0
  #heldChars = 0
  /** An unfinished record was reached: nothing behind it is passed on any more. */
  #broken = false

  constructor(limit: number, start: InputPosition, pass: PassRecord) {
    this.#limit = limit
    this.#pass = pass
    this.prefix = start
    this.#records = new Array(limit)
    this.#outcomes = new Array(limit)
  }

  get size(): number {
    return this.#tail - this.#head
  }

  get isFull(): boolean {
    return this.size >= this.#limit || this.#heldChars > MAX_HELD_CHARS
  }

  add(record: InputRecord): void {
    const slot = this.#tail % this.#limit
    this.#tail++
    record.slot = slot
    this.#records[slot] = record
    this.#outcomes[slot] = undefined
  }

  settle(record: InputRecord, outcome: RecordOutcome): void {
    this.#outcomes[record.slot] = outcome
    if (outcome.type === 'ok') this.#heldChars += outcome.line.length
    while (this.#head < this.#tail) {
      const slot = this.#head % this.#limit
      const ready = this.#outcomes[slot]
      if (ready === undefined) return
      this.#passHead(slot, ready)
    }
  }

  #passHead(slot: number, outcome: RecordOutcome): void {
    const record = this.#records[slot]!
    this.#head++
    this.#records[slot] = undefined
    this.#outcomes[slot] = undefined
    if (outcome.type === 'ok') this.#heldChars -= outcome.line.length
    if (outcome.type === 'unfinished') this.#broken = true
    if (!this.#broken) {
      this.prefix = positionAfter(record)
      this.#pass(record, outcome)
    } else {
      this.#pass(record, { type: 'unfinished' })
    }
  }

  oldest(count: number): InputRecord[] {
    const found: InputRecord[] = []
    for (let at = this.#head; at < this.#tail && found.length < count; at++) {
      const slot = at % this.#limit
      if (this.#outcomes[slot] === undefined) found.push(this.#records[slot]!)
    }
    return found
  }
}
