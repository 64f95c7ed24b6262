/**
 * The shared memory that holds the text of records, in blocks. A run holds a block while its reader fills it or a record in it
 * is unsettled, and gives it back after both. Worker threads only read. The main thread writes, but no byte that a live record
 * names.
 */

import {
  addressLength,
  addressStart,
  BLOCK_SIZE_BYTES,
  type RecordPlace,
  recordAddress,
} from '../../records/record-transfer.js'
import { SharedUnits, type UnitShare } from './shared-units.js'

/** A reader needs a second block to carry on a record that crosses the end of the first. */
export const BLOCKS_OF_A_RUN = 2

/** The blocks, and which of them are free, for all runs that share them. */
export class ArenaBlocks {
  readonly memory: SharedArrayBuffer
  readonly bytes: Buffer
  readonly count: number
  readonly units: SharedUnits

  constructor(count: number) {
    this.count = count
    this.memory = new SharedArrayBuffer(count * BLOCK_SIZE_BYTES)
    this.bytes = Buffer.from(this.memory)
    this.units = new SharedUnits(count, BLOCKS_OF_A_RUN)
  }
}

/** 64 blocks of 256 KiB are 16 MiB: enough for 300,000 records of 50 bytes in flight. */
export const DEFAULT_BLOCKS = 64

/** What has its text in the arena. */
interface Placed {
  place: RecordPlace | undefined
}

/** The blocks of one run. */
export class RecordArena {
  readonly bytes: Buffer
  readonly #blocks: ArenaBlocks
  readonly #share: UnitShare
  /** Holds on each block, of this run alone. */
  readonly #users: Int32Array

  /** Takes from `blocks`, which other runs may share; a number makes as many for this one alone. */
  constructor(blocks: ArenaBlocks | number = DEFAULT_BLOCKS) {
    this.#blocks = typeof blocks === 'number' ? new ArenaBlocks(blocks) : blocks
    this.bytes = this.#blocks.bytes
    this.#share = this.#blocks.units.join()
    this.#users = new Int32Array(this.#blocks.count)
  }

  /** Blocks that nobody uses, this run or another. */
  get freeBlocks(): number {
    return this.#blocks.units.free
  }

  /** First byte of a free block, now held by the caller. Waits until one is free. */
  async acquire(): Promise<number> {
    const block = await this.#share.wait()
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
    if (this.#users[block] === 0) this.#share.give(block)
  }

  /** Gives up the record's text. */
  release(record: Placed): void {
    if (typeof record.place === 'number') this.releaseAt(addressStart(record.place))
    record.place = undefined
  }

  /** The record's bytes, to be used before it is released. */
  view(record: Placed): Buffer {
    const { place } = record
    if (place === undefined) return Buffer.alloc(0)
    if (typeof place !== 'number') return Buffer.from(place.bytes)
    const start = addressStart(place)
    return this.bytes.subarray(start, start + addressLength(place))
  }

  /** The run is over: gives back every block, those of records that were read and never started too. */
  close(): void {
    for (const [block, users] of this.#users.entries()) if (users > 0) this.#share.give(block)
    this.#users.fill(0)
    this.#share.leave()
  }
}

/** Puts texts that were made here (not read) into the arena, one after another. */
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
