import { expect, test } from 'vitest'
import { InputRecord } from '../../../src/batch/records/record.js'
import { RecordArena } from '../../../src/batch/records/record-arena.js'
import { BLOCK_SIZE_BYTES } from '../../../src/records/record-transfer.js'
import { placedRecord } from '../scratch-folder.js'

test('a block comes back only when its reader and all its records have let go', async () => {
  const arena = new RecordArena(2)
  const block = await arena.acquire()
  arena.bytes.write('onetwo', block)
  const one = new InputRecord(arena.hold(block, 3), 0, 1, 0, 3, undefined)
  const two = new InputRecord(arena.hold(block + 3, 3), 0, 2, 3, 6, undefined)
  arena.releaseAt(block)
  expect(arena.freeBlocks).toBe(1)
  expect(arena.view(one).toString() + arena.view(two).toString()).toBe('onetwo')
  arena.release(one)
  arena.release(one)
  expect(arena.freeBlocks).toBe(1)
  arena.release(two)
  expect(arena.freeBlocks).toBe(2)
  expect(arena.view(two)).toHaveLength(0)
})

test('a reader waits for a block until one is free', async () => {
  const arena = new RecordArena(1)
  const record = await placedRecord(arena, 'text')
  let block: number | undefined
  const waiting = arena.acquire().then((free) => {
    block = free
  })
  await new Promise((done) => setImmediate(done))
  expect(block).toBeUndefined()
  arena.release(record)
  await waiting
  expect(block! % BLOCK_SIZE_BYTES).toBe(0)
})

test('a record that fills a block to its end holds that block', async () => {
  const arena = new RecordArena(2)
  const block = await arena.acquire()
  const record = new InputRecord(arena.hold(block, BLOCK_SIZE_BYTES), 0, 1, 0, 1, undefined)
  arena.releaseAt(block + BLOCK_SIZE_BYTES - 1)
  expect(arena.view(record)).toHaveLength(BLOCK_SIZE_BYTES)
  arena.release(record)
  expect(arena.freeBlocks).toBe(2)
})
