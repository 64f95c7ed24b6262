import { describe, expect, test } from 'vitest'
import { pairedRatios, ratioInterval } from '../../../bench/stats/ratio-interval.js'
import { seededRandom } from '../../../src/base/random.js'

describe('ratioInterval', () => {
  test('equal ratios leave an interval of no width', () => {
    const interval = ratioInterval([2, 4, 6], [1, 2, 3], seededRandom(1))
    expect(interval).toEqual({ ratio: 2, low: 2, high: 2 })
  })

  test('the ratio is the median of the paired ratios, not the ratio of the medians', () => {
    const interval = ratioInterval([10, 2, 30], [1, 2, 10], seededRandom(1))
    expect(interval.ratio).toBe(3)
  })

  test('three ratios 1, 2, 3: the interval is the whole range, since 7/27 of the resamples have each end as median', () => {
    const interval = ratioInterval([1, 2, 3], [1, 1, 1], seededRandom(5))
    expect(interval).toEqual({ ratio: 2, low: 1, high: 3 })
  })

  test('the 95 % interval of 25 runs covers the true ratio in about 95 of 100 experiments', () => {
    // Coverage of the percentile bootstrap of a median lies near its nominal level; with 200 experiments the
    // binomial standard deviation is 1.5 %, so 0.89 is more than three of them below 0.95.
    const random = seededRandom(11)
    let covered = 0
    for (let experiment = 0; experiment < 200; experiment++) {
      const system = Array.from({ length: 25 }, () => 1.3 * Math.exp((random() - 0.5) * 0.4))
      const { low, high } = ratioInterval(system, new Array(25).fill(1), random, { resamples: 400 })
      if (low <= 1.3 && 1.3 <= high) covered++
    }
    expect(covered / 200).toBeGreaterThan(0.89)
    expect(covered / 200).toBeLessThan(1)
  })

  test('the same seed gives the same interval', () => {
    const system = [1.1, 0.9, 1.3, 1.2, 1.05]
    const reference = [1, 1, 1, 1, 1]
    expect(ratioInterval(system, reference, seededRandom(3))).toEqual(ratioInterval(system, reference, seededRandom(3)))
  })

  test('unequal or empty lists and figures that are not positive are refused', () => {
    expect(() => pairedRatios([1], [1, 2])).toThrow(RangeError)
    expect(() => pairedRatios([], [])).toThrow(RangeError)
    expect(() => pairedRatios([1], [0])).toThrow(/run 0/)
    expect(() => pairedRatios([Number.NaN], [1])).toThrow(RangeError)
  })
})
