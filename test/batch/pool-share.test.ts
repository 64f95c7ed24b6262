import { expect, test } from 'vitest'
import type { RecordRunner } from '../../src/batch/flow/record-runner.js'
import { PoolShare } from '../../src/batch/record-pool.js'
import { ArenaBlocks } from '../../src/batch/records/record-arena.js'
import { StretchSlots } from '../../src/batch/records/stretch-slots.js'
import { StretchMemory, stretchMemoryBytes } from '../../src/records/stretch-memory.js'

const runner: RecordRunner = { run: async () => '', runGroup: async () => [] }

function shareOf(left: () => void = () => undefined) {
  const blocks = new ArenaBlocks(4)
  const slots = new StretchSlots(new StretchMemory(new SharedArrayBuffer(stretchMemoryBytes(4)), 10))
  return { blocks, slots, share: new PoolShare(blocks, slots, runner, left) }
}

test('a share gives back what it took, and says that it left', async () => {
  let isLeft = false
  const { blocks, slots, share } = shareOf(() => {
    isLeft = true
  })
  await share.arena.acquire()
  share.stretches.give(share.stretches.take()!)
  expect([blocks.units.free, slots.free]).toEqual([3, 4])
  share.leave()
  expect([blocks.units.free, isLeft]).toEqual([4, true])
})

test('a run that begins after the pool asked it to end hears of it', () => {
  const heard: string[] = []
  const { share: early } = shareOf()
  early.whenStopped(() => heard.push('early'))
  early.stop()
  const { share: late } = shareOf()
  late.stop()
  late.whenStopped(() => heard.push('late'))
  expect(heard).toEqual(['early', 'late'])
})
