/** Puts texts that were made here (not read) into the arena, one after another. */

import { BLOCK_SIZE_BYTES, type RecordPlace } from '../../records/record-transfer.js'
import type { RecordArena } from './record-arena.js'

export class ArenaText {
  readonly #arena: RecordArena
  #fill = 0
  #blockEnd = 0

  constructor(arena: RecordArena) {
    this.#arena = arena
  }

  /** Copies the text; waits for a free block when the current one is full. */
  async place(text: Buffer): Promise<RecordPlace> {
    if (text.length > BLOCK_SIZE_BYTES) {
      const bytes = new SharedArrayBuffer(text.length)
      text.copy(Buffer.from(bytes))
      return { bytes }
    }
    if (this.#fill + text.length > this.#blockEnd) {
      const block = await this.#arena.acquire()
      this.close()
      this.#fill = block
      this.#blockEnd = block + BLOCK_SIZE_BYTES
    }
    text.copy(this.#arena.bytes, this.#fill)
    const place = this.#arena.hold(Math.min(this.#fill, this.#blockEnd - 1), text.length)
    this.#fill += text.length
    return place
  }

  close(): void {
    if (this.#blockEnd > 0) this.#arena.releaseAt(this.#blockEnd - 1)
    this.#blockEnd = 0
    this.#fill = 0
  }
}
