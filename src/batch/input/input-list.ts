/** The inputs as text, one after another: decompressed, in UTF-8, without byte order marks. */

import { BatchInputError } from '../options/batch-errors.js'
import type { ByteSource } from './byte-source.js'
import { decompressed } from './gunzip.js'
import type { TextChecksums } from './input-checksum.js'
import { ForeignEncodingError, refuseForeign } from './input-format.js'
import { PeekableChunks } from './peekable-chunks.js'

export type InputStep =
  | { readonly type: 'bytes'; readonly bytes: Buffer }
  /** The text of the input has ended. A half-read record is its last one. */
  | { readonly type: 'end' }
  | { readonly type: 'foreign'; readonly message: string }

/** Walks through the inputs in their order and tells where one ends and the next begins. */
export class InputList {
  /** Index of the current input. */
  index = -1
  readonly #sources: readonly ByteSource[]
  readonly #separator: number
  readonly #checksums: TextChecksums | undefined
  #text: InputText | undefined
  #chunks: AsyncGenerator<Buffer> | undefined
  #earlierBytes = 0
  /** Text of the current input given out so far. */
  #textBytes = 0

  constructor(sources: readonly ByteSource[], separator: number, checksums?: TextChecksums) {
    this.#sources = sources
    this.#separator = separator
    this.#checksums = checksums
  }

  /**
   * Bytes taken from the inputs, before decompression, if the last `unusedBytes` of text are not counted. Of
   * a compressed input that is an estimate: text and raw bytes are taken to grow alike.
   */
  bytesUsed(unusedBytes: number): number {
    const rawBytes = this.#text?.bytesRead ?? 0
    const share = this.#textBytes === 0 ? 1 : Math.max(0, 1 - unusedBytes / this.#textBytes)
    return this.#earlierBytes + rawBytes * share
  }

  /** Bytes of the current input before its first text byte. */
  get skippedBytes(): number {
    return this.#text?.skippedBytes ?? 0
  }

  /** The next step, or `undefined` after the last input. */
  async next(): Promise<InputStep | undefined> {
    if (this.#chunks === undefined) {
      const source = this.#sources[this.index + 1]
      if (source === undefined) return undefined
      this.index++
      this.#text = new InputText(source, this.#separator)
      this.#chunks = this.#text.chunks()
    }
    try {
      const { done, value } = await this.#chunks.next()
      if (done !== true) {
        this.#textBytes += value.length
        this.#checksums?.update(this.index, this.skippedBytes, value)
        return { type: 'bytes', bytes: value }
      }
    } catch (error) {
      if (!(error instanceof ForeignEncodingError)) throw error
      this.#leave()
      return { type: 'foreign', message: error.message }
    }
    this.#leave()
    return { type: 'end' }
  }

  #leave(): void {
    this.#earlierBytes = this.bytesUsed(0)
    this.#textBytes = 0
    this.#text = undefined
    this.#chunks = undefined
  }

  /** Ends all reading; a step that is under way fails or ends. */
  async close(): Promise<void> {
    for (const source of this.#sources) source.close()
    await this.#chunks?.return(undefined).catch(() => undefined)
    this.#leave()
  }
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** One input as text: decompressed, its byte order mark taken off once. Other encodings than UTF-8 are refused. */
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
