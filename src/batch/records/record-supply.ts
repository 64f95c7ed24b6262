/** Where the records of a run come from. */

import type { StretchMemory } from '../../records/stretch-memory.js'
import type { InputStretch } from './input-stretch.js'
import type { InputRecord } from './record.js'

/** To be asked by `next` (or `nextStretch`) while it gives records, then by `advance`, until that gives false. */
export interface RecordReader {
  /** The next record of the text that is loaded, or `undefined`. */
  next(): InputRecord | undefined
  /**
   * Up to `most` successive records as one, their places noted in a slot of `memory`; `undefined` when `next` is to be
   * asked first. A reader without this gives records one by one.
   */
  nextStretch?(memory: StretchMemory, slot: number, most: number): InputStretch | undefined
  /** Loads more text; waits for input and for free memory. False at the end of all inputs. */
  advance(): Promise<boolean>
  /** Bytes taken from the inputs, before decompression. */
  readonly bytesRead: number
  close(): Promise<void>
}
