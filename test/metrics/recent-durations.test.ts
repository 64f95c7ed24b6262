import { expect, test } from 'vitest'
import { RecentDurations } from '../../src/metrics/recent-durations.js'
import { FakeClock } from '../support/fake-clock.js'
import { countsOf, FakeObservedPool } from './observed.js'

const WINDOW_MS = 8_000
const NO_STARTS = countsOf([0, 0, 0])

test('a slow minute is forgotten once the window has passed, and its timer holds no process', () => {
  const clock = new FakeClock()
  const pool = new FakeObservedPool()
  const recent = new RecentDurations(pool, WINDOW_MS, clock)
  const times = () => recent.times(pool.durations())

  pool.counted = { wait: countsOf([0, 0, 100]), run: countsOf([100, 0, 0]), start: NO_STARTS }
  expect(times().waitMs.p50).toBeGreaterThan(10)
  expect(times().runMs.p99).toBeLessThanOrEqual(1)
  clock.advance(WINDOW_MS)
  pool.counted = { wait: countsOf([100, 0, 100]), run: countsOf([200, 0, 0]), start: NO_STARTS }
  clock.advance(2 * WINDOW_MS)
  expect(times().waitMs).toEqual({ p50: 0, p90: 0, p99: 0 })
  pool.counted = { wait: countsOf([200, 0, 100]), run: countsOf([300, 0, 0]), start: NO_STARTS }
  expect(times().waitMs.p99).toBeLessThanOrEqual(1)

  expect({ timers: clock.timers, holding: clock.holding }).toEqual({ timers: 1, holding: 0 })
  recent.close()
  expect(clock.timers).toBe(0)
})
