/**
 * The shared memory that input text is read into. A block is in use while the reader fills it or a record in it
 * is unsettled; it is reused only after both. Worker threads read, only the main thread writes, and it writes
 * no byte that a live record names.
 */

import { addressLength, addressStart, BLOCK_SIZE_BYTES, recordAddress } from '../base/record-transfer.js'
import type { InputRecord } from './record.js'

/** 64 blocks of 256 KiB are 16 MiB: enough for 300,000 records of 50 bytes in flight. */
const DEFAULT_BLOCKS = 64

export class RecordArena {
  readonly memory: SharedArrayBuffer
  readonly bytes: Buffer
  readonly #users: Int32Array
  /** Free blocks; the one released last is used next, so a run that needs few blocks touches few. */
  readonly #free: number[] = []
  #wake: (() => void) | undefined

  constructor(blocks = DEFAULT_BLOCKS) {
    this.memory = new SharedArrayBuffer(blocks * BLOCK_SIZE_BYTES)
    this.bytes = Buffer.from(this.memory)
    this.#users = new Int32Array(blocks)
    for (let block = blocks - 1; block >= 0; block--) this.#free.push(block)
  }

  get freeBlocks(): number {
    return this.#free.length
  }

  /** First byte of a free block, now held by the caller. Waits until one is free. */
  async acquire(): Promise<number> {
    let block = this.#free.pop()
    while (block === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      block = this.#free.pop()
    }
    this.#users[block] = 1
    return block * BLOCK_SIZE_BYTES
  }

  /** Names the record at these bytes and holds their block until `release`. */
  hold(startByte: number, lengthBytes: number): number {
    this.#users[Math.floor(startByte / BLOCK_SIZE_BYTES)]! += 1
    return recordAddress(startByte, lengthBytes)
  }

  /** Gives up one hold on the block that contains `startByte`. */
  releaseAt(startByte: number): void {
    const block = Math.floor(startByte / BLOCK_SIZE_BYTES)
    this.#users[block]! -= 1
    if (this.#users[block] !== 0) return
    this.#free.push(block)
    if (this.#wake !== undefined) {
      this.#wake()
      this.#wake = undefined
    }
  }

  /** Gives up the record's text. */
  release(record: InputRecord): void {
    if (typeof record.place === 'number') this.releaseAt(addressStart(record.place))
    record.place = undefined
  }

  /** The record's bytes, to be used before it is released. */
  view(record: InputRecord): Buffer {
    const { place } = record
    if (place === undefined) return Buffer.alloc(0)
    if (typeof place !== 'number') return Buffer.from(place.bytes)
    const start = addressStart(place)
    return this.bytes.subarray(start, start + addressLength(place))
  }
}
