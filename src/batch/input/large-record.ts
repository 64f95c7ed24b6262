/** A record that outgrew a block of the arena: gathered apart, and given up once it passes the limit. */

import type { OwnRecord } from '../../records/record-transfer.js'
import { CR, isWhiteSpace } from './text-bytes.js'

export class LargeRecord {
  /** Length so far, also when the bytes were given up. */
  lengthBytes = 0
  /** Whether there is nothing but white space so far, also when the bytes were given up. */
  isBlank = true
  readonly #limitBytes: number
  #parts: Buffer[] = []
  #lastByte = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  add(bytes: Buffer): void {
    // The separator may be the first byte of the next block: then the last part is empty.
    if (bytes.length === 0) return
    this.lengthBytes += bytes.length
    this.#lastByte = bytes[bytes.length - 1]!
    // Ends at the first byte that is none, so it costs nothing for an ordinary record.
    if (this.isBlank) this.isBlank = isWhiteSpace(bytes, 0, bytes.length)
    // Past the limit memory stays flat however long the record goes on; its beginning is kept to say what is wrong.
    if (this.lengthBytes > this.#limitBytes + 1) this.#parts.length = Math.min(1, this.#parts.length)
    if (this.lengthBytes <= this.#limitBytes + 1 || this.#parts.length === 0) this.#parts.push(Buffer.from(bytes))
  }

  /** Its text with what follows; of one past the limit the beginning only. */
  with(rest: Buffer): Buffer {
    return Buffer.concat([...this.#parts, rest])
  }

  /** The record in shared memory of its own, or `undefined` when it is longer than the limit. */
  place(stripsCr: boolean): OwnRecord | undefined {
    const lengthBytes = this.lengthBytes - (stripsCr && this.#lastByte === CR ? 1 : 0)
    if (lengthBytes > this.#limitBytes) return undefined
    const bytes = new SharedArrayBuffer(lengthBytes)
    const target = Buffer.from(bytes)
    let at = 0
    for (const part of this.#parts) at += part.copy(target, at)
    return { bytes }
  }
}
