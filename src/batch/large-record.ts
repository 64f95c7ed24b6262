/** A record that outgrew a block of the arena: gathered apart, and given up once it passes the limit. */

import type { OwnRecord } from '../base/record-transfer.js'

export class LargeRecord {
  /** Length so far, also when the bytes were given up. */
  lengthBytes = 0
  readonly #limitBytes: number
  #parts: Buffer[] = []

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  add(bytes: Buffer): void {
    this.lengthBytes += bytes.length
    // Past the limit memory stays flat however long the record goes on.
    if (this.lengthBytes > this.#limitBytes + 1) this.#parts = []
    else this.#parts.push(Buffer.from(bytes))
  }

  /** The record in shared memory of its own, or `undefined` when it is longer than the limit. */
  place(stripsCr: boolean): OwnRecord | undefined {
    const endsInCr = this.#parts.at(-1)?.at(-1) === 0x0d
    const lengthBytes = this.lengthBytes - (stripsCr && endsInCr ? 1 : 0)
    if (lengthBytes > this.#limitBytes) return undefined
    const bytes = new SharedArrayBuffer(lengthBytes)
    const target = Buffer.from(bytes)
    let at = 0
    for (const part of this.#parts) at += part.copy(target, at)
    return { bytes }
  }
}
