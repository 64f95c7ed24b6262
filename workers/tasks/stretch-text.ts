/**
 * The texts of a stretch's records. Texts that lie side by side and are ASCII, as nearly all JSON is, are decoded at
 * once: a call into native code costs as much as decoding 200 bytes, and cutting the text into records is free.
 */

import { isAscii } from 'node:buffer'
import { BLOCK_SIZE_BYTES } from '../../src/records/record-transfer.js'
import type { StretchMemory } from '../../src/records/stretch-memory.js'

/** The largest share of the whole that may lie between the records (separators, skipped records). */
const MAX_GAPS = 0.5

/** One text for all records, from the start of the first. `undefined` when each must be decoded by itself. */
export function stretchText(arena: Buffer, memory: StretchMemory, slot: number, count: number): string | undefined {
  const start = memory.textStart(slot, 0)
  const end = memory.textEnd(slot, count - 1)
  // Blocks are filled one after another, so records of one block lie in the order of the input.
  if (Math.floor(start / BLOCK_SIZE_BYTES) !== Math.floor((end - 1) / BLOCK_SIZE_BYTES)) return undefined
  let textBytes = 0
  for (let index = 0; index < count; index++) textBytes += memory.textEnd(slot, index) - memory.textStart(slot, index)
  if (textBytes < (end - start) * (1 - MAX_GAPS)) return undefined
  if (!isAscii(arena.subarray(start, end))) return undefined
  return arena.toString('latin1', start, end)
}
