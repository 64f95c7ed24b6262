/** One input as text: decompressed, its byte order mark taken off once, other encodings than UTF-8 refused. */

import { BatchInputError } from './batch-errors.js'
import type { ByteSource } from './byte-source.js'
import { decompressed } from './gunzip.js'
import { PeekableChunks } from './peekable-chunks.js'

export const BYTE_ORDER_MARK_BYTES = 3

/** Raised for text that is UTF-16 or UTF-32: one bad record for the whole input, not one for each line. */
export class ForeignEncodingError extends Error {
  constructor(encoding: string) {
    super(`the input is ${encoding}, not UTF-8`)
    this.name = 'ForeignEncodingError'
  }
}

function foreignEncoding(head: Buffer): string | undefined {
  if (head.length < 2) return undefined
  const mark = head.readUInt16BE(0)
  if (mark === 0xfffe) return head.length >= 4 && head.readUInt16LE(2) === 0 ? 'UTF-32LE' : 'UTF-16LE'
  if (mark === 0xfeff) return 'UTF-16BE'
  if (head.length >= 4 && head.readUInt32BE(0) === 0xfeff) return 'UTF-32BE'
  return undefined
}

export class InputText {
  /** Bytes taken from the source so far, before decompression. */
  bytesRead = 0
  /** Bytes of a byte order mark that were taken off. */
  skippedBytes = 0
  readonly #source: ByteSource
  readonly #warn: (message: string) => void

  constructor(source: ByteSource, warn: (message: string) => void) {
    this.#source = source
    this.#warn = warn
  }

  /** Throws `BatchInputError` for an input that cannot be read to its end, `ForeignEncodingError` at its start. */
  async *chunks(): AsyncGenerator<Buffer> {
    const { name } = this.#source
    try {
      const text = new PeekableChunks(decompressed(this.#counted(), (message) => this.#warn(`${name}: ${message}`)))
      try {
        const head = await text.peek(4)
        const encoding = foreignEncoding(head)
        if (encoding !== undefined) throw new ForeignEncodingError(encoding)
        if (head.length >= 3 && head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) {
          await text.take(BYTE_ORDER_MARK_BYTES)
          this.skippedBytes = BYTE_ORDER_MARK_BYTES
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
