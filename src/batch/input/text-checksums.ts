/** Checksums of the inputs that a run is still concerned with. */

import type { InputPosition } from '../records/record-span.js'
import { type ChecksumPoint, InputChecksum } from './input-checksum.js'

export interface ExpectedText {
  readonly input: number
  readonly point: ChecksumPoint
}

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

  /** The last known checksum at or before a place; whatever lies before is forgotten. */
  at({ input, offset }: InputPosition): ChecksumPoint | undefined {
    for (const earlier of this.#inputs.keys()) if (earlier < input) this.#inputs.delete(earlier)
    return this.#inputs.get(input)?.latest(offset)
  }
}
