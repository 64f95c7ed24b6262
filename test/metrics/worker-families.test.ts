import { describe, expect, test } from 'vitest'
import { EventTally } from '../../src/metrics/event-tally.js'
import { FamilyMaker } from '../../src/metrics/exposition.js'
import { LoopShares, workerFamilies } from '../../src/metrics/worker-families.js'
import { FakeClock } from '../support/fake-clock.js'
import { FakeObservedPool, snapshotWith, workerOf } from './observed.js'

test('each worker has a number of each metric under its slot, never its thread', () => {
  const clock = new FakeClock()
  const pool = new FakeObservedPool()
  const tally = new EventTally(pool, clock)
  pool.emit('stall', { slot: 1, threadId: 101, task: undefined, runningMs: 0, silentMs: 260 })
  clock.advance(2_000)
  const workers = [
    workerOf(0, { load: 12, share: 0.9 }),
    workerOf(1, { load: 100, share: 0.1, lagMs: 2_260, heapUsedBytes: 5e6 }),
  ]
  const snapshot = snapshotWith({ workers, strategy: 'least-loaded' })
  const families = workerFamilies(new FamilyMaker('p'), snapshot, tally, ({ slot }) => slot / 4)
  const valuesOf = (name: string) => families.find((family) => family.name === `evenkeel_worker_${name}`)!.samples

  for (const { samples } of families) expect(samples.map(({ labels }) => labels.worker)).toEqual(['0', '1'])
  expect(JSON.stringify(families)).not.toContain('101')
  expect(valuesOf('load').map(({ value }) => value)).toEqual([12, 100])
  expect(valuesOf('weight_ratio').map(({ value }) => value)).toEqual([0.9, 0.1])
  expect(valuesOf('eventloop_lag_seconds').map(({ value }) => value)).toEqual([0, 2.26])
  expect(valuesOf('eventloop_utilization_ratio').map(({ value }) => value)).toEqual([0, 0.25])
  expect(valuesOf('heap_used_bytes').map(({ value }) => value)).toEqual([0, 5e6])
  expect(valuesOf('stall_seconds_total').map(({ value }) => value)).toEqual([0, 2])
  const picks = families.find(({ name }) => name === 'evenkeel_dispatch_total')!.samples
  expect(picks[1]!.labels).toEqual({ pool: 'p', worker: '1', strategy: 'least-loaded' })
})

describe('share of a busy loop', () => {
  const WINDOW_MS = 8_000
  const loop = (loopActiveMs: number, loopIdleMs: number, threadId = 1) =>
    workerOf(0, { threadId, loopActiveMs, loopIdleMs })

  test('the first reading is of the whole life, later ones of the window', () => {
    const shares = new LoopShares(WINDOW_MS)
    expect(shares.of(loop(1_000, 3_000), 10_000)).toBe(0.25)
    expect(shares.of(loop(5_000, 3_000), 14_000)).toBe(0.625)
    // The window begins with the second reading now.
    expect(shares.of(loop(6_000, 10_000), 22_000)).toBe(1 / 8)
  })

  test('any number of readers see the same', () => {
    const shares = new LoopShares(WINDOW_MS)
    shares.of(loop(0, 1), 0)
    for (let ms = 10; ms < 4_000; ms += 10) shares.of(loop(ms / 2, 1 + ms / 2), ms)
    const seen = [shares.of(loop(2_000, 2_000), 4_000), shares.of(loop(2_000, 2_000), 4_000)]
    expect(seen).toEqual([0.5, 0.5])
  })

  test('a new thread counts from its own beginning', () => {
    const shares = new LoopShares(WINDOW_MS)
    shares.of(loop(7_000, 1_000), 0)
    expect(shares.of(loop(10, 30, 2), 100)).toBe(0.25)
  })

  test('a worker without a thread, and readings that went back, count as idle', () => {
    const shares = new LoopShares(WINDOW_MS)
    expect(shares.of(loop(0, 0, -1), 0)).toBe(0)
    shares.of(loop(10, 0, 3), 0)
    shares.of(loop(10, 100, 3), 2_000)
    expect(shares.of(loop(9, 120, 3), 12_000)).toBe(0)
  })
})
