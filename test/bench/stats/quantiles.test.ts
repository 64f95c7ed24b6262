import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mean, median, quantileOfSorted, sortedCopy, summarizeLatencies } from '../../../bench/stats/quantiles.js'

describe('quantiles', () => {
  test('interpolate between neighbours as type 7 does', () => {
    const sorted = [10, 20, 30, 40]
    expect(quantileOfSorted(sorted, 0)).toBe(10)
    expect(quantileOfSorted(sorted, 0.25)).toBe(17.5)
    expect(quantileOfSorted(sorted, 0.5)).toBe(25)
    expect(quantileOfSorted(sorted, 1)).toBe(40)
  })

  test('of nothing are not a number, and a fraction outside 0..1 is refused', () => {
    expect(quantileOfSorted([], 0.5)).toBeNaN()
    expect(() => quantileOfSorted([1], 1.01)).toThrow(RangeError)
    expect(() => quantileOfSorted([1], Number.NaN)).toThrow(RangeError)
  })

  test('are infinite where the samples are, never not a number', () => {
    expect(quantileOfSorted([1, 2, Infinity, Infinity], 0.5)).toBe(Infinity)
    expect(quantileOfSorted([1, 2, Infinity, Infinity], 0.9)).toBe(Infinity)
    expect(quantileOfSorted([1, 2, Infinity], 0.5)).toBe(2)
  })

  test('the median of an unsorted list leaves the list as it was', () => {
    const samples = [9, 10, 1]
    expect(median(samples)).toBe(9)
    expect(samples).toEqual([9, 10, 1])
  })

  test('sorting is numeric', () => {
    expect([...sortedCopy([10, 9, 2, 100])]).toEqual([2, 9, 10, 100])
  })

  test('a summary of 1..10000 gives the known percentiles', () => {
    const summary = summarizeLatencies(Float64Array.from({ length: 10_000 }, (_, i) => 10_000 - i))
    expect(summary.count).toBe(10_000)
    expect(summary.mean).toBe(5000.5)
    expect(summary.p50).toBe(5000.5)
    expect(summary.p90).toBeCloseTo(9000.1, 6)
    expect(summary.p99).toBeCloseTo(9900.01, 6)
    expect(summary.p999).toBeCloseTo(9990.001, 6)
    expect(summary.max).toBe(10_000)
  })

  test('a p99.9 of 9,999 samples is not claimed', () => {
    expect(summarizeLatencies(new Float64Array(9999)).p999).toBeNaN()
  })

  test('a quantile lies between its neighbours and grows with the fraction', () => {
    const samples = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 })
    const fraction = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(samples, fraction, fraction, (values, a, b) => {
        const sorted = sortedCopy(values)
        const low = quantileOfSorted(sorted, Math.min(a, b))
        const high = quantileOfSorted(sorted, Math.max(a, b))
        expect(low).toBeLessThanOrEqual(high + 1e-9)
        expect(low).toBeGreaterThanOrEqual(sorted[0]! - 1e-9)
        expect(high).toBeLessThanOrEqual(sorted[sorted.length - 1]! + 1e-9)
      }),
      { seed: 7 },
    )
  })

  test('the mean of 1, 2, 6 is 3', () => {
    expect(mean([1, 2, 6])).toBe(3)
  })
})
