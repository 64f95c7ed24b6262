import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { restartDelayMs, retryDelayMs } from '../../src/dispatcher/back-off.js'
import '../support/seeded-properties.js'

describe('restart of a thread', () => {
  test('the first is immediate, the next ones double from 50 ms up to 5 s', () => {
    const delays = [0, 1, 2, 3, 4, 8, 9, 50, 5_000].map(restartDelayMs)
    expect(delays).toEqual([0, 0, 50, 100, 200, 3_200, 5_000, 5_000, 5_000])
  })
})

describe('retry of a task', () => {
  test('the middle of the draw doubles with each attempt', () => {
    expect([1, 2, 3, 4].map((attempt) => retryDelayMs(100, attempt, () => 0.5))).toEqual([100, 200, 400, 800])
  })

  test('the draw moves it between half and one and a half', () => {
    const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(unit, fc.integer({ min: 1, max: 1_000_000 }), fc.nat(60_000), (draw, attempt, backoffMs) => {
        const middle = backoffMs * 2 ** Math.min(30, attempt - 1)
        const delayMs = retryDelayMs(backoffMs, attempt, () => draw)
        expect(delayMs).toBeGreaterThanOrEqual(middle * 0.5)
        expect(delayMs).toBeLessThanOrEqual(middle * 1.5)
      }),
    )
  })
})
