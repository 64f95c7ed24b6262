/** The shared memory that the text of records lies in, and which of its blocks are free. Worker threads only read it. */

import { BLOCK_SIZE_BYTES } from '../../records/record-transfer.js'
import { SharedUnits } from './shared-units.js'

/** A reader needs a second block to carry on a record that crosses the end of the first. */
export const BLOCKS_OF_A_RUN = 2

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
