import { describe, expect, test } from 'vitest'
import { RecentDurations, RollingWindow, SLICES } from '../../src/metrics/recent-durations.js'
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

describe('rolling window', () => {
  const SLICE_MS = WINDOW_MS / SLICES

  test('a window without a mark holds everything', () => {
    expect(new RollingWindow(WINDOW_MS).upTo(countsOf([3, 0, 0])).counts).toEqual([3, 0, 0])
  })

  test('what was counted before the first mark is left out', () => {
    const window = new RollingWindow(WINDOW_MS)
    window.mark(countsOf([5, 0, 0]), 0)
    expect([...Array.from(window.upTo(countsOf([5, 2, 0])).counts)]).toEqual([0, 2, 0])
  })

  test('it spans its length and at most one slice more, however long it has been rolling', () => {
    const window = new RollingWindow(WINDOW_MS)
    // One duration is counted a millisecond, so the number counted is the span.
    for (let nowMs = 0; nowMs <= 10 * WINDOW_MS; nowMs += SLICE_MS / 4) {
      if (nowMs % SLICE_MS === 0) window.mark(countsOf([nowMs, 0, 0]), nowMs)
      const spanMs = window.upTo(countsOf([nowMs, 0, 0])).counts[0]!
      if (nowMs < WINDOW_MS) expect(spanMs).toBe(nowMs)
      else expect(spanMs).toBeGreaterThanOrEqual(WINDOW_MS)
      expect(spanMs).toBeLessThan(WINDOW_MS + SLICE_MS)
    }
  })

  test('reading takes nothing out: a second scraper sees the same', () => {
    const window = new RollingWindow(WINDOW_MS)
    window.mark(countsOf([1, 0, 0]), 0)
    const now = countsOf([4, 4, 0])
    expect(window.upTo(now)).toEqual(window.upTo(now))
  })
})
