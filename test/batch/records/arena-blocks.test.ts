import { expect, test } from 'vitest'
import { ArenaBlocks, RecordArena } from '../../../src/batch/records/record-arena.js'

test('two runs draw from the same blocks, and each gives back its own', async () => {
  const blocks = new ArenaBlocks(8)
  const [one, other] = [new RecordArena(blocks), new RecordArena(blocks)]
  const [mine, theirs] = [await one.acquire(), await other.acquire()]
  expect(mine).not.toBe(theirs)
  expect(one.freeBlocks).toBe(6)
  one.hold(mine, 5)
  one.close()
  expect(other.freeBlocks).toBe(7)
  // What still comes for a run that is over changes nothing.
  one.releaseAt(mine)
  expect(other.freeBlocks).toBe(7)
  other.releaseAt(theirs)
  expect(blocks.units.free).toBe(8)
})

test('a run that waits for a block is not forgotten when another one waits too', async () => {
  const blocks = new ArenaBlocks(4)
  const [one, other, third] = [new RecordArena(blocks), new RecordArena(blocks), new RecordArena(blocks)]
  const held = [await third.acquire(), await third.acquire(), await one.acquire(), await other.acquire()]
  const waits = [one.acquire(), other.acquire()]
  third.releaseAt(held[0]!)
  third.releaseAt(held[1]!)
  expect(new Set(await Promise.all(waits)).size).toBe(2)
})
