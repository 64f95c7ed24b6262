import { expect, test } from 'vitest'
import { InputRecord } from '../../../src/batch/records/record.js'
import { ArenaText, RecordArena } from '../../../src/batch/records/record-arena.js'
import { BLOCK_SIZE_BYTES } from '../../../src/records/record-transfer.js'

test('texts of any size are placed whole, and every block comes back', async () => {
  const arena = new RecordArena(4)
  const text = new ArenaText(arena)
  const sizes = [1, 0, BLOCK_SIZE_BYTES - 1, BLOCK_SIZE_BYTES, 5, BLOCK_SIZE_BYTES + 1, 0]
  for (const [index, size] of sizes.entries()) {
    const place = await text.place(Buffer.alloc(size, 97 + index))
    const record = new InputRecord(place, 0, 1, 0, size, undefined)
    expect(arena.view(record).equals(Buffer.alloc(size, 97 + index))).toBe(true)
    arena.release(record)
  }
  text.close()
  expect(arena.freeBlocks).toBe(4)
})
