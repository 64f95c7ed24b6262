import { expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.js'
import { Admission } from '../../src/batch/admission.js'

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  const turn = new Promise((done) => setTimeout(done, 20, pending))
  return (await Promise.race([promise, turn])) === pending
}

test('a shut gate holds back and says why, an open one lets in', async () => {
  let reason: string | undefined = 'too hot'
  const gate = { name: 'heat', closedBecause: async () => reason }
  const admission = new Admission({ perSecond: undefined, gates: [gate], clock: systemClock, pollMs: 60_000 })
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
  const admission = new Admission({ perSecond: undefined, gates: [gate], clock: systemClock, pollMs: 60_000 })
  await admission.poll()
  const entry = admission.admit()
  admission.close()
  await entry
})

test('a gate that cannot be read counts as open', async () => {
  const gate = { name: 'broken', closedBecause: async () => Promise.reject(new Error('no')) }
  const admission = new Admission({ perSecond: undefined, gates: [gate], clock: systemClock, pollMs: 60_000 })
  await admission.poll()
  await admission.admit()
  admission.close()
})

test('a rate is kept, fast and slow', async () => {
  for (const [perSecond, count] of [
    [200, 60],
    [8, 3],
  ] as const) {
    const admission = new Admission({ perSecond, gates: [], clock: systemClock })
    const started = performance.now()
    for (let entry = 0; entry < count; entry++) await admission.admit()
    // The first slice of a tenth of a second comes at once.
    const leastMs = (1000 * (count - Math.max(1, perSecond / 10))) / perSecond - 110
    expect(performance.now() - started).toBeGreaterThan(leastMs)
    admission.close()
  }
})
