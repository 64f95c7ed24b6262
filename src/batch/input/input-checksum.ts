/**
 * Checksums that tell whether an input is still the same. The journal notes a checksum and the place up to which it counts.
 * A resumed run reads the finished part again anyway, so it compares, and notices an edit anywhere in that part.
 */

import { crc32 } from 'node:zlib'
import type { InputPosition } from '../records/record.js'

export interface ChecksumPoint {
  readonly offset: number
  readonly crc: number
}

/**
 * The most text that is kept to know the checksum at any place in it, not only at the ends of chunks. When more is read
 * than this while the first record behind the place is still running, only the oldest and the newest chunk stay exact.
 */
const MOST_KEPT_BYTES = 2 ** 24

interface Chunk {
  readonly end: ChecksumPoint
  bytes: Buffer | undefined
}

/** A running CRC-32 over the text of one input, however its bytes arrive. About 0.3 ms for each MiB. */
export class InputChecksum {
  /** Whether the expected point was reached and agreed; `undefined` while it lies ahead. */
  agrees: boolean | undefined
  #offset: number
  #crc = 0
  readonly #expected: ChecksumPoint | undefined
  /** Chunks behind the last place asked for, oldest first. */
  #chunks: Chunk[] = []
  #keptBytes = 0
  #last: ChecksumPoint | undefined

  constructor(startOffset: number, expected?: ChecksumPoint) {
    this.#offset = startOffset
    this.#expected = expected
    if (expected !== undefined && expected.offset <= startOffset) this.agrees = expected.crc === 0
  }

  update(bytes: Buffer): void {
    const expected = this.#expected
    if (this.agrees === undefined && expected !== undefined && this.#offset + bytes.length >= expected.offset) {
      this.agrees = crc32(bytes.subarray(0, expected.offset - this.#offset), this.#crc) === expected.crc
    }
    this.#crc = crc32(bytes, this.#crc)
    this.#offset += bytes.length
    // A copy: the reader uses the memory of a chunk again.
    this.#chunks.push({ end: { offset: this.#offset, crc: this.#crc }, bytes: Buffer.from(bytes) })
    this.#keptBytes += bytes.length
    for (let at = 1; this.#keptBytes > MOST_KEPT_BYTES && at < this.#chunks.length - 1; at++)
      this.#drop(this.#chunks[at]!)
  }

  /**
   * The checksum at `offset`; places before it are not asked for any more. Where the text was not kept, that of the last
   * end of a chunk before it. Undefined: nothing is known before `offset`.
   */
  latest(offset: number): ChecksumPoint | undefined {
    let passed = 0
    while (passed < this.#chunks.length && this.#chunks[passed]!.end.offset <= offset) passed++
    if (passed > 0) {
      for (const chunk of this.#chunks.slice(0, passed)) this.#drop(chunk)
      this.#last = this.#chunks[passed - 1]!.end
      this.#chunks = this.#chunks.slice(passed)
    }
    if (this.#last !== undefined && this.#last.offset > offset) return undefined
    const chunk = this.#chunks[0]
    if (chunk?.bytes === undefined) return this.#last
    const length = offset - (chunk.end.offset - chunk.bytes.length)
    if (length <= 0) return this.#last
    return { offset, crc: crc32(chunk.bytes.subarray(0, length), this.#last?.crc ?? 0) }
  }

  #drop(chunk: Chunk): void {
    this.#keptBytes -= chunk.bytes?.length ?? 0
    chunk.bytes = undefined
  }
}

export interface ExpectedText {
  readonly input: number
  readonly point: ChecksumPoint
}

/** The checksums of the inputs that a run still reads or writes about. */
export class TextChecksums {
  readonly #expected: ExpectedText | undefined
  readonly #inputs = new Map<number, InputChecksum>()
  #verdict: boolean | undefined

  constructor(expected: ExpectedText | undefined) {
    this.#expected = expected
  }

  /** Takes in the next bytes of an input; `startOffset` is where its text began. */
  update(input: number, startOffset: number, bytes: Buffer): void {
    let checksum = this.#inputs.get(input)
    if (checksum === undefined) {
      const expected = this.#expected?.input === input ? this.#expected.point : undefined
      checksum = new InputChecksum(startOffset, expected)
      this.#inputs.set(input, checksum)
    }
    checksum.update(bytes)
    if (this.#expected?.input === input) this.#verdict = checksum.agrees
  }

  /** False: the text differs from the one the journal speaks of. Undefined: the place is not reached yet. */
  get agrees(): boolean | undefined {
    return this.#expected === undefined ? true : this.#verdict
  }

  /** The checksum at a place, or at the last one before it where it is known; whatever lies before is forgotten. */
  at({ input, offset }: InputPosition): ChecksumPoint | undefined {
    // As long as the text is not known to be the same, the journal keeps what it says of the old one.
    if (this.#expected?.input === input && this.#verdict !== true) return this.#expected.point
    for (const earlier of this.#inputs.keys()) if (earlier < input) this.#inputs.delete(earlier)
    return this.#inputs.get(input)?.latest(offset)
  }
}
