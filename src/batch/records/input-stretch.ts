/**
 * Successive records of the input that are handed over and settled as one while all goes well: what this thread does for
 * each of them is to find its end. Where the texts lie is noted in a slot of the stretch memory. When one of them needs a
 * thought of its own, the stretch is split into its records.
 */

import type { StretchMemory } from '../../records/stretch-memory.js'
import { InputRecord, type SpanEntry } from './record.js'
import type { RecordArena } from './record-arena.js'

export interface StretchPlace {
  readonly count: number
  /** First byte of the first record in the arena. The stretch lies in one block and holds it. */
  readonly startByte: number
  readonly input: number
  /** Line of the first record, and its first byte in the input. */
  readonly line: number
  readonly offset: number
  /** First byte of the input behind the last record and what was passed over behind it. */
  readonly endOffset: number
  /** The byte that ends every record. */
  readonly separator: number
}

export class InputStretch implements SpanEntry {
  seq = 0
  startedMs = 0
  previous: SpanEntry | undefined = undefined
  next: SpanEntry | undefined = undefined
  slot = 0
  readonly count: number
  readonly input: number
  readonly line: number
  readonly offset: number
  readonly endOffset: number
  readonly startByte: number
  readonly #separator: number

  constructor({ count, startByte, input, line, offset, endOffset, separator }: StretchPlace) {
    this.count = count
    this.startByte = startByte
    this.input = input
    this.line = line
    this.offset = offset
    this.endOffset = endOffset
    this.#separator = separator
  }

  /**
   * Its records, each started once and holding its own text; the hold of the stretch is given up. `memorySlot` is where
   * the texts were noted.
   */
  split(memory: StretchMemory, memorySlot: number, arena: RecordArena): InputRecord[] {
    const { count, startByte, input, offset } = this
    const records: InputRecord[] = []
    let line = this.line
    let behind = startByte
    for (let index = 0; index < count; index++) {
      const start = memory.textStart(memorySlot, index)
      const end = memory.textEnd(memorySlot, index)
      // Between two records may lie blank lines, which were passed over.
      for (; behind < start; behind = this.#behindSeparator(arena, behind)) line++
      behind = this.#behindSeparator(arena, end)
      const place = arena.hold(start, end - start)
      const record = new InputRecord(
        place,
        input,
        line++,
        offset + start - startByte,
        offset + behind - startByte,
        undefined,
      )
      record.seq = this.seq + index
      record.startedMs = this.startedMs
      record.attempts = 1
      records.push(record)
    }
    arena.releaseAt(startByte)
    return records
  }

  #behindSeparator(arena: RecordArena, from: number): number {
    return arena.bytes.indexOf(this.#separator, from) + 1
  }
}
