import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DurationHistogram } from '../../../src/dispatcher/tasks/duration-histogram.js'
import '../../support/seeded-properties.js'

function recorded(values: readonly number[]): DurationHistogram {
  const histogram = new DurationHistogram()
  for (const us of values) histogram.record(us)
  return histogram
}

describe('percentiles', () => {
  test('without records they are 0', () => {
    expect(new DurationHistogram().percentiles()).toEqual({ count: 0, p50: 0, p90: 0, p99: 0, p999: 0, max: 0 })
  })

  test('one record is every percentile', () => {
    const one = recorded([5])
    expect([0.001, 0.5, 1].map((quantile) => one.quantileMs(quantile))).toEqual([0.005, 0.005, 0.005])
  })

  test('less than nothing counts as nothing, a fraction as its whole part', () => {
    expect(recorded([-3, 0]).percentiles()).toMatchObject({ count: 2, p99: 0, max: 0 })
    expect(recorded([7.9]).quantileMs(0.5)).toBe(0.007)
  })

  test('hours, days and years are kept as they are', () => {
    for (const us of [2 ** 31 - 1, 2 ** 31, 3_000e6, 2 ** 32, 86_400e6 * 30, Number.MAX_SAFE_INTEGER]) {
      const { p50, max } = recorded([us]).percentiles()
      expect(max).toBe(us / 1000)
      expect(Math.abs(p50 / max - 1)).toBeLessThan(0.125)
      expect(recorded([us]).counts().sumUs).toBe(us)
    }
  })

  test('sums only grow, whatever is recorded', () => {
    const histogram = new DurationHistogram()
    let last = 0
    for (const us of [1, 2 ** 31, 5e9, 1e13, Number.POSITIVE_INFINITY]) {
      histogram.record(us)
      const { sumUs } = histogram.counts()
      expect(sumUs).toBeGreaterThan(last)
      last = sumUs
    }
  })

  test('they come in ms and in order', () => {
    const { p50, p90, p99, p999, max } = recorded(Array.from({ length: 10_000 }, (_, us) => us)).percentiles()
    expect(max).toBe(9.999)
    for (const [value, exact] of [
      [p50, 5],
      [p90, 9],
      [p99, 9.9],
      [p999, 9.99],
    ] as const) {
      expect(Math.abs(value / exact - 1)).toBeLessThan(0.125)
    }
    expect([p50, p90, p99, p999, max]).toEqual([p50, p90, p99, p999, max].sort((a, b) => a - b))
  })

  test('any quantile of any durations is within 12.5 % of the true one', () => {
    const us = fc.oneof(fc.nat(20), fc.nat(100_000), fc.nat(2 ** 31 - 1), fc.maxSafeNat())
    const quantile = fc.double({ min: 1e-6, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.array(us, { minLength: 1, maxLength: 200 }), quantile, (values, share) => {
        const exactUs = values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1]!
        const foundUs = recorded(values).quantileMs(share) * 1000
        expect(Math.abs(foundUs - exactUs)).toBeLessThanOrEqual(exactUs * 0.125 + 1e-6)
      }),
    )
  })
})

describe('counts', () => {
  test('each duration lies in a bucket that ends beyond it, and begins where the one before it ends', () => {
    const durations = [
      0,
      1,
      7,
      8,
      9,
      15,
      16,
      100,
      1_000,
      123_456,
      2 ** 31 - 1,
      2 ** 31,
      2 ** 31 + 1,
      2 ** 32,
      2 ** 40 - 1,
      2 ** 40,
      2 ** 52,
    ]
    for (const us of durations) {
      const { counts, endsUs, sumUs } = recorded([us]).counts()
      const bucket = Array.from(counts).indexOf(1)
      expect(endsUs[bucket]).toBeGreaterThan(us)
      expect(bucket === 0 ? 0 : endsUs[bucket - 1]).toBeLessThanOrEqual(us)
      expect(sumUs).toBe(us)
    }
  })

  test('are a copy that later records leave alone', () => {
    const histogram = recorded([3])
    const { counts } = histogram.counts()
    histogram.record(3)
    expect([counts[3], histogram.counts().counts[3]]).toEqual([1, 2])
  })
})

test('what another has recorded adds to its own', () => {
  const [all, a, b] = [new DurationHistogram(), new DurationHistogram(), new DurationHistogram()]
  for (let us = 1; us < 50_000; us = us * 2 + 1) {
    for (const histogram of [all, us % 3 === 0 ? a : b]) histogram.record(us)
  }
  a.add(b)
  a.add(new DurationHistogram())
  expect(a.counts()).toEqual(all.counts())
  expect(a.percentiles()).toEqual(all.percentiles())
})
