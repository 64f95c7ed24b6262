/** Passes every record on as soon as it settles, and knows which place in the input lies behind all of them. */

import type { InputRecord } from './record.js'
import {
  type InputPosition,
  type PassRecord,
  positionAfter,
  type RecordOutcome,
  type RecordSpan,
} from './record-span.js'

export class OpenSpan implements RecordSpan {
  readonly isFull = false
  readonly #pass: PassRecord
  /** A set keeps the order of insertion, so its first member is the oldest. */
  readonly #open = new Set<InputRecord>()
  #end: InputPosition
  /** The first record that stayed unfinished. */
  #gap: InputPosition | undefined

  constructor(start: InputPosition, pass: PassRecord) {
    this.#end = start
    this.#pass = pass
  }

  get size(): number {
    return this.#open.size
  }

  get prefix(): InputPosition {
    for (const { input, offset, seq } of this.#open) return earlier(this.#gap, { input, offset, records: seq })
    return earlier(this.#gap, this.#end)
  }

  add(record: InputRecord): void {
    this.#open.add(record)
    this.#end = positionAfter(record)
  }

  settle(record: InputRecord, outcome: RecordOutcome): void {
    this.#open.delete(record)
    if (outcome.type === 'unfinished') {
      const { input, offset, seq } = record
      this.#gap = earlier(this.#gap, { input, offset, records: seq })
    }
    this.#pass(record, outcome)
  }

  oldest(count: number): InputRecord[] {
    const found: InputRecord[] = []
    for (const record of this.#open) {
      if (found.length === count) break
      found.push(record)
    }
    return found
  }
}

function earlier(one: InputPosition | undefined, other: InputPosition): InputPosition {
  return one !== undefined && one.records < other.records ? one : other
}
