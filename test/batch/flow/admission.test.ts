import { expect, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.js'
import { loadPQueue } from '../../../src/base/packages.js'
import { Admission } from '../../../src/batch/flow/admission.js'
import { FakeClock } from '../../support/fake-clock.js'

const Queue = await loadPQueue()

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  const turn = new Promise((done) => setTimeout(done, 20, pending))
  return (await Promise.race([promise, turn])) === pending
}

test('a shut gate holds back and says why, an open one lets in', async () => {
  let reason: string | undefined = 'too hot'
  const gate = { name: 'heat', closedBecause: async () => reason }
  const admission = new Admission({ perSecond: undefined, gates: [gate], clock: systemClock, Queue, pollMs: 60_000 })
  await admission.poll()
  const entry = admission.admit()
  expect(await isPending(entry)).toBe(true)
  expect(admission.heldBy).toBe('too hot')
  reason = undefined
  await admission.poll()
  await entry
  expect(admission.heldBy).toBeUndefined()
  admission.close()
})

test('closing lets everybody in', async () => {
  const gate = { name: 'shut', closedBecause: async () => 'always' }
  const admission = new Admission({ perSecond: undefined, gates: [gate], clock: systemClock, Queue, pollMs: 60_000 })
  await admission.poll()
  const entry = admission.admit()
  admission.close()
  await entry
})

test('a gate that cannot be read counts as open', async () => {
  const gate = { name: 'broken', closedBecause: async () => Promise.reject(new Error('no')) }
  const admission = new Admission({ perSecond: undefined, gates: [gate], clock: systemClock, Queue, pollMs: 60_000 })
  await admission.poll()
  await admission.admit()
  admission.close()
})

test('a rate is kept, fast and slow', async () => {
  for (const [perSecond, cap, intervalMs] of [
    [200, 20, 100],
    [8, 1, 125],
  ] as const) {
    const clock = new FakeClock()
    const admission = new Admission({ perSecond, gates: [], clock, Queue })
    let admitted = 0
    for (let entry = 0; entry < 3 * cap; entry++) void admission.admit().then(() => admitted++)
    const seen: number[] = []
    for (const waitMs of [0, intervalMs - 1, 1, intervalMs]) {
      clock.advance(waitMs)
      await new Promise(setImmediate)
      seen.push(admitted)
      admission.look(0)
    }
    expect(seen).toEqual([cap, cap, 2 * cap, 3 * cap])
    expect(clock.holding).toBe(0)
    admission.close()
  }
})

test('a record that has not started keeps its place', async () => {
  const clock = new FakeClock()
  const admission = new Admission({ perSecond: 20, gates: [], clock, Queue })
  let admitted = 0
  for (let entry = 0; entry < 6; entry++) void admission.admit().then(() => admitted++)
  const seen: number[] = []
  for (const unstarted of [2, 2, 1, 0]) {
    admission.look(unstarted)
    clock.advance(1_000)
    await new Promise(setImmediate)
    seen.push(admitted)
  }
  expect(seen).toEqual([2, 2, 3, 5])
})
