import { expect, test } from 'vitest'
import { StretchSlots } from '../../../src/batch/records/stretch-slots.js'
import { StretchMemory, stretchMemoryBytes } from '../../../src/records/stretch-memory.js'

function slotsOf(count: number): StretchSlots {
  return new StretchSlots(new StretchMemory(new SharedArrayBuffer(stretchMemoryBytes(count)), 10))
}

test('two runs never hold one slot', () => {
  const slots = slotsOf(8)
  const [one, other] = [slots.join(), slots.join()]
  const taken = [one.take(), other.take(), one.take(), other.take()]
  expect(new Set(taken).size).toBe(4)
})

test('a slot that was given up is free at once, unless a worker is in it', () => {
  const slots = slotsOf(3)
  const { memory } = slots
  const share = slots.join()
  const [waiting, left, entered] = [share.take()!, share.take()!, share.take()!]
  const turns = [waiting, left, entered].map((slot) => memory.open(slot))
  memory.enter(left, turns[1]!, 0)
  memory.leave(left, turns[1]!)
  memory.enter(entered, turns[2]!, 7)
  for (const slot of [waiting, left, entered]) share.giveUp(slot)
  expect(slots.free).toBe(2)
  // Its message comes all the same, late.
  expect(memory.enter(waiting, turns[0]!, 1)).toBe(false)
  slots.threadEnded(6)
  expect(slots.free).toBe(2)
  share.leave()
  slots.threadEnded(7)
  expect(slots.free).toBe(3)
})

test('a late message does not enter the next turn of its slot', () => {
  const slots = slotsOf(1)
  const { memory } = slots
  const share = slots.join()
  const slot = share.take()!
  const turn = memory.open(slot)
  share.giveUp(slot)
  expect(share.take()).toBe(slot)
  const next = memory.open(slot)
  expect(memory.enter(slot, turn, 0)).toBe(false)
  expect(memory.enter(slot, next, 1_023)).toBe(true)
  expect(memory.close(slot)).toBe(1_023)
})
