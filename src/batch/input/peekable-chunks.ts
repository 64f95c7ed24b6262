/** A byte stream from which a known number of bytes can be looked at or taken, across its chunks. */

export class PeekableChunks {
  readonly #iterator: AsyncIterator<Buffer>
  #held: Buffer = Buffer.alloc(0)
  #done = false

  constructor(source: AsyncIterable<Buffer>) {
    this.#iterator = source[Symbol.asyncIterator]()
  }

  /** The next chunk, whole; `undefined` at the end. Valid until the next call. */
  async next(): Promise<Buffer | undefined> {
    if (this.#held.length > 0) {
      const chunk = this.#held
      this.#held = Buffer.alloc(0)
      return chunk
    }
    if (this.#done) return undefined
    const result = await this.#iterator.next()
    this.#done = result.done === true
    return this.#done ? undefined : (result.value as Buffer)
  }

  /** What was taken from the source and not yet from here. */
  get held(): Buffer {
    return this.#held
  }

  putBack(chunk: Buffer): void {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([chunk, this.#held])
  }

  /** Up to `length` bytes without taking them; fewer only at the end. */
  async peek(length: number): Promise<Buffer> {
    while (this.#held.length < length && !this.#done) {
      // The source may reuse its memory for the next chunk, so what is held of the last one is copied first.
      const held = Buffer.from(this.#held)
      this.#held = Buffer.alloc(0)
      const chunk = await this.next()
      this.#held = chunk === undefined ? held : held.length === 0 ? chunk : Buffer.concat([held, chunk])
    }
    return this.#held.subarray(0, length)
  }

  /** Exactly `length` bytes; throws when the input ends before. */
  async take(length: number): Promise<Buffer> {
    const bytes = await this.peek(length)
    if (bytes.length < length) throw new Error('unexpected end of file')
    this.#held = this.#held.subarray(length)
    return bytes
  }

  /** Takes everything up to and with the first `byte`. */
  async skipPast(byte: number): Promise<void> {
    for (;;) {
      const chunk = await this.next()
      if (chunk === undefined) throw new Error('unexpected end of file')
      const index = chunk.indexOf(byte)
      if (index < 0) continue
      this.putBack(chunk.subarray(index + 1))
      return
    }
  }

  async *rest(): AsyncGenerator<Buffer> {
    for (let chunk = await this.next(); chunk !== undefined; chunk = await this.next()) yield chunk
  }

  async close(): Promise<void> {
    await this.#iterator.return?.()
  }
}
