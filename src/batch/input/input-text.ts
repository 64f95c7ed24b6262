/** One input as text: decompressed, its byte order mark taken off once, other encodings than UTF-8 refused. */

import { BatchInputError } from '../options/batch-errors.js'
import type { ByteSource } from './byte-source.js'
import { decompressed } from './gunzip.js'
import { ForeignEncodingError, refuseForeign } from './input-format.js'
import { PeekableChunks } from './peekable-chunks.js'

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

export class InputText {
  /** Bytes taken from the source so far, before decompression. */
  bytesRead = 0
  /** Bytes of a byte order mark that were taken off. */
  skippedBytes = 0
  readonly #source: ByteSource
  readonly #separator: number

  /** `separator`: the byte that ends a record. */
  constructor(source: ByteSource, separator: number) {
    this.#source = source
    this.#separator = separator
  }

  /** Throws `BatchInputError` for an input that cannot be read to its end, `ForeignEncodingError` at its start. */
  async *chunks(): AsyncGenerator<Buffer> {
    const { name } = this.#source
    try {
      const text = new PeekableChunks(decompressed(this.#counted()))
      try {
        await refuseForeign(text, name, this.#separator)
        if (text.held[0] === BYTE_ORDER_MARK[0] && BYTE_ORDER_MARK.equals(await text.peek(BYTE_ORDER_MARK.length))) {
          await text.take(BYTE_ORDER_MARK.length)
          this.skippedBytes = BYTE_ORDER_MARK.length
        }
        yield* text.rest()
      } finally {
        await text.close()
      }
    } catch (error) {
      if (error instanceof ForeignEncodingError || error instanceof BatchInputError) throw error
      throw new BatchInputError(`cannot read ${name} to its end: ${(error as Error).message}`, name, { cause: error })
    }
  }

  async *#counted(): AsyncGenerator<Buffer> {
    for await (const chunk of this.#source.chunks()) {
      this.bytesRead += chunk.length
      yield chunk
    }
  }
}
