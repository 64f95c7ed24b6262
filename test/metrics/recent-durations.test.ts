import { expect, test } from 'vitest'
import type { ObservedPool } from '../../src/metrics/observed-pool.js'
import { RecentDurations } from '../../src/metrics/recent-durations.js'
import { FakeClock } from '../support/fake-clock.js'
import { countsOf, FakeObservedPool, snapshotWith } from './observed.js'

const WINDOW_MS = 8_000

test('a slow minute is forgotten once the window has passed, and its timer holds no process', () => {
  const clock = new FakeClock()
  const pool = new FakeObservedPool()
  const recent = new RecentDurations(pool, WINDOW_MS, clock)
  const times = () => recent.times(pool.snapshot(), pool.durations())

  pool.counted = { wait: countsOf([0, 0, 100]), run: countsOf([100, 0, 0]) }
  expect(times().waitMs.p50).toBeGreaterThan(10)
  expect(times().runMs.p99).toBeLessThanOrEqual(1)
  clock.advance(WINDOW_MS)
  pool.counted = { wait: countsOf([100, 0, 100]), run: countsOf([200, 0, 0]) }
  clock.advance(2 * WINDOW_MS)
  expect(times().waitMs).toEqual({ p50: 0, p90: 0, p99: 0 })
  pool.counted = { wait: countsOf([200, 0, 100]), run: countsOf([300, 0, 0]) }
  expect(times().waitMs.p99).toBeLessThanOrEqual(1)

  expect({ timers: clock.timers, holding: clock.holding }).toEqual({ timers: 1, holding: 0 })
  recent.close()
  expect(clock.timers).toBe(0)
})

test('a pool that tells no counts is described by its whole life', () => {
  const clock = new FakeClock()
  const life = { count: 9, p50: 1, p90: 2, p99: 3, p999: 4, max: 5 }
  const snapshot = snapshotWith({ waitMs: life, runMs: life })
  const pool: ObservedPool = { snapshot: () => snapshot, on: () => {}, off: () => {} }
  const recent = new RecentDurations(pool, WINDOW_MS, clock)
  clock.advance(WINDOW_MS)
  expect(recent.times(snapshot, undefined)).toEqual({ waitMs: life, runMs: life })
})
