/**
 * Appends lines to a file descriptor: gathered while a write is under way, written in large pieces, in order.
 * Writes run in Node's file threads, so a slow reader of a pipe never blocks the event loop, and nothing is cut:
 * the run ends only after `written`.
 */

import { fdatasync, write } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { Clock } from '../../base/clock.js'
import { BatchOutputError } from '../options/batch-errors.js'
import type { OutputFile } from './output-file.js'

/** A write costs about 20 µs of the main thread. In pieces of 64 KiB that is negligible per record. */
const PIECE_CHARS = 2 ** 16
/** Lines that come as bytes are gathered in pieces of this size: a write for each five thousand short ones. */
const GATHER_BYTES = 2 ** 18
/** The longest that a line waits for others before it is written. */
const LINGER_MS = 10
/** A full non-blocking pipe answers EAGAIN. The write is tried again after 1 ms, then less and less often. */
const RETRY_MS = 1
const MAX_RETRY_MS = 20
/** Once the run is aborted, a reader that takes nothing for this long is given up, ms. */
const ABANDON_MS = 500

const LAST_STANDARD_FD = 2

export interface AppendSinkOptions {
  readonly file: Pick<OutputFile, 'fd' | 'name' | 'offset' | 'close'>
  /** The byte behind each line. */
  readonly separator: number
  /** CRC-32 of what the file holds before its offset, when the sum is to be continued. */
  readonly checksum?: number | undefined
  /** Throws when nothing may be written any more; asked before every write. */
  readonly guard?: (() => void) | undefined
  readonly clock: Clock
  /** Called once, when a write fails. */
  readonly onError: (error: BatchOutputError) => void
}

interface Waiting {
  readonly offset: number
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export class AppendSink {
  /** Bytes handed to `flush` so far, counted from the start of the file: the offset behind them. */
  flushedOffset: number
  /** CRC-32 of the file up to `flushedOffset`; 0 unless asked for. */
  checksum: number
  #writtenOffset: number
  readonly #options: AppendSinkOptions
  #lines: string[] = []
  #lineChars = 0
  #gathered: Buffer | undefined
  /** Memory of a piece that was written, to be used again: new memory for each would set off collections. */
  #spare: ArrayBufferLike | undefined
  #gatheredBytes = 0
  #lingering = false
  readonly #pieces: Buffer[] = []
  #isWriting = false
  /** Called when the write under way has returned. */
  #atRest: (() => void) | undefined
  #isClosed = false
  #error: BatchOutputError | undefined
  #waiting: Waiting[] = []
  readonly #separator: string
  /** Undefined until a pipe has its reader. */
  #fd: number | undefined
  #retryMs = RETRY_MS
  /** Time of `hurry`, or of the last write after it, ms. Patience with a silent reader counts from it. */
  #hurriesSinceMs: number | undefined

  constructor(options: AppendSinkOptions) {
    this.#options = options
    this.#separator = String.fromCharCode(options.separator)
    const { fd, offset } = options.file
    this.flushedOffset = offset ?? 0
    this.checksum = options.checksum ?? 0
    this.#writtenOffset = this.flushedOffset
    if (typeof fd === 'number') this.#fd = fd
    else {
      fd.then(
        (opened) => {
          this.#fd = opened
          if (!this.#isWriting) this.#write()
        },
        (error: BatchOutputError) => this.#fail(error),
      )
    }
  }

  /** Bytes accepted and not yet written, about. */
  get backlogBytes(): number {
    return this.flushedOffset - this.#writtenOffset + this.#lineChars + this.#gatheredBytes
  }

  /**
   * Takes a line without its separator, or the UTF-8 of whole lines, each with its separator. Strings are joined and
   * bytes are copied: writing each string into the bytes would cost a call into native code for every line.
   */
  append(result: string | Buffer): void {
    if (typeof result === 'string') {
      if (this.#gatheredBytes > 0) this.flush()
      this.#lines.push(result)
      this.#lineChars += result.length + 1
      if (this.#lineChars >= PIECE_CHARS) {
        this.flush()
        return
      }
    } else {
      if (this.#lines.length > 0 || this.#gatheredBytes + result.length > GATHER_BYTES) this.flush()
      this.#gathered ??= this.#newPiece(result.length)
      this.#gatheredBytes += result.copy(this.#gathered, this.#gatheredBytes)
    }
    this.#linger()
  }

  #newPiece(atLeastBytes: number): Buffer {
    const spare = this.#spare
    this.#spare = undefined
    if (spare !== undefined && spare.byteLength >= atLeastBytes) return Buffer.from(spare)
    return Buffer.allocUnsafeSlow(Math.max(GATHER_BYTES, atLeastBytes))
  }

  #linger(): void {
    if (this.#lingering) return
    this.#lingering = true
    this.#options.clock.after(LINGER_MS, () => {
      this.#lingering = false
      this.flush()
    })
  }

  /** Sends everything appended so far on its way and returns the offset behind it. */
  flush(): number {
    // Never both: the one is flushed before the other begins.
    if (this.#lines.length > 0) {
      const piece = Buffer.from(`${this.#lines.join(this.#separator)}${this.#separator}`)
      this.#lines = []
      this.#lineChars = 0
      this.#send(piece)
    } else if (this.#gathered !== undefined && this.#gatheredBytes > 0) {
      const piece = this.#gathered.subarray(0, this.#gatheredBytes)
      this.#gathered = undefined
      this.#gatheredBytes = 0
      this.#send(piece)
    }
    return this.flushedOffset
  }

  #send(piece: Buffer): void {
    this.flushedOffset += piece.length
    if (this.#options.checksum !== undefined) this.checksum = crc32(piece, this.checksum)
    this.#pieces.push(piece)
    if (!this.#isWriting && this.#fd !== undefined) this.#write()
  }

  /**
   * Writes everything. Then closes anything but a regular file, so that its reader can go on. Throws
   * `BatchOutputError`.
   */
  async finish(): Promise<void> {
    await this.written(this.flush())
    const { file } = this.#options
    if (file.offset !== undefined) return
    await file.fd
    await file.close()
  }

  /**
   * Closes the file. Lines not written by then are dropped. `close` waits for the write under way, because the
   * descriptor's number may soon belong to another file. It does not wait for a write to the process's own streams:
   * they stay open, and the write may take for ever.
   */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#isWriting && this.#fd! > LAST_STANDARD_FD) {
      await new Promise<void>((resolve) => {
        this.#atRest = resolve
      })
    }
    await this.#options.file.close()
  }

  /** Gives up a pipe that nobody reads yet. */
  stopWaiting(): void {
    if (this.#fd === undefined) void this.#options.file.close()
  }

  /** From now on a pipe whose reader takes nothing is given up. */
  hurry(): void {
    this.stopWaiting()
    this.#hurriesSinceMs ??= this.#options.clock.nowMs()
  }

  /** Waits until the bytes before `offset` are written; throws `BatchOutputError` when they cannot be. */
  written(offset: number): Promise<void> {
    if (this.#error !== undefined) return Promise.reject(this.#error)
    if (offset <= this.#writtenOffset) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#waiting.push({ offset, resolve, reject })
    })
  }

  /** Makes what is written durable, in a regular file. */
  sync(): Promise<void> {
    if (this.#options.file.offset === undefined) return Promise.resolve()
    return new Promise((resolve, reject) => {
      fdatasync(this.#fd!, (error) => {
        if (error === null) resolve()
        else reject(new BatchOutputError(`cannot make ${this.#options.file.name} durable`, error))
      })
    })
  }

  #write(): void {
    const piece = this.#pieces.shift()
    if (piece === undefined || this.#error !== undefined || this.#isClosed) {
      this.#isWriting = false
      this.#atRest?.()
      return
    }
    this.#isWriting = true
    const { clock, guard, file } = this.#options
    try {
      guard?.()
    } catch (error) {
      this.#fail(new BatchOutputError(`cannot write ${file.name}`, error as Error))
      return
    }
    const position = file.offset === undefined ? null : this.#writtenOffset
    write(this.#fd!, piece, 0, piece.length, position, (error, bytesWritten) => {
      if (error !== null && error.code === 'EAGAIN' && !this.#isGivenUp) {
        this.#pieces.unshift(piece)
        clock.after(this.#retryMs, () => this.#write())
        this.#retryMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS)
        return
      }
      if (error !== null) {
        this.#fail(new BatchOutputError(`cannot write ${this.#options.file.name}`, error))
        return
      }
      this.#retryMs = RETRY_MS
      if (this.#hurriesSinceMs !== undefined) this.#hurriesSinceMs = clock.nowMs()
      this.#writtenOffset += bytesWritten
      if (bytesWritten < piece.length) this.#pieces.unshift(piece.subarray(bytesWritten))
      // Small buffers may share their memory with others; a piece made for gathering has it alone.
      else if (piece.buffer.byteLength === GATHER_BYTES) this.#spare = piece.buffer
      this.#wake()
      this.#write()
    })
  }

  #wake(): void {
    if (this.#waiting.length === 0) return
    const ready = this.#waiting.filter(({ offset }) => offset <= this.#writtenOffset)
    this.#waiting = this.#waiting.filter(({ offset }) => offset > this.#writtenOffset)
    for (const { resolve } of ready) resolve()
  }

  get #isGivenUp(): boolean {
    return this.#hurriesSinceMs !== undefined && this.#options.clock.nowMs() - this.#hurriesSinceMs > ABANDON_MS
  }

  #fail(error: BatchOutputError): void {
    this.#isWriting = false
    this.#atRest?.()
    this.#error = error
    const waiting = this.#waiting
    this.#waiting = []
    for (const { reject } of waiting) reject(this.#error)
    this.#options.onError(this.#error)
  }
}
