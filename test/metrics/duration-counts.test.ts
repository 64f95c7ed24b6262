import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addCounts, countedBetween, countsUpTo, quantileMs, totalCount } from '../../src/metrics/duration-counts.js'
import { countsOf } from './observed.js'

describe('counted durations', () => {
  test('the difference of two counts is what came between them', () => {
    const between = countedBetween(countsOf([1, 2, 0], 500), countsOf([4, 2, 1], 900))
    expect({ counts: [...Array.from(between.counts)], sumUs: between.sumUs }).toEqual({ counts: [3, 0, 1], sumUs: 400 })
    expect(totalCount(between)).toBe(4)
  })

  test('a quantile lies in the bucket of the duration that it names', () => {
    const counts = countsOf([50, 49, 1])
    expect(quantileMs(counts, 0.5)).toBe(1)
    expect(quantileMs(counts, 0.99)).toBe(10)
    expect(quantileMs(counts, 1)).toBe(100)
    expect(quantileMs(counts, 0)).toBeCloseTo(0.02)
  })

  test('nothing counted has quantiles of 0', () => {
    expect(quantileMs(countsOf([0, 0, 0]), 0.99)).toBe(0)
  })

  test('a limit takes in whole buckets alone', () => {
    expect(countsUpTo(countsOf([1, 2, 4]), [0.0005, 0.001, 0.05, 0.1, 60])).toEqual([0, 1, 3, 7, 7])
  })

  test('quantiles rise with the share, and counts with the limit', () => {
    const count = fc.nat({ max: 1000 })
    fc.assert(
      fc.property(
        fc.tuple(count, count, count),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
        (three, shares) => {
          const counts = countsOf(three)
          const rising = shares.sort((a, b) => a - b)
          const quantiles = rising.map((share) => quantileMs(counts, share))
          expect(quantiles).toEqual([...quantiles].sort((a, b) => a - b))
          const upTo = countsUpTo(counts, rising)
          expect(upTo).toEqual([...upTo].sort((a, b) => a - b))
          expect(upTo.every((n) => n <= totalCount(counts))).toBe(true)
        },
      ),
      { seed: 7 },
    )
  })
})

test('counts of two names add up bucket by bucket', () => {
  const both = addCounts(countsOf([1, 2, 3], 100), countsOf([10, 20, 30], 5))
  expect({ counts: [...Array.from(both.counts)], sumUs: both.sumUs }).toEqual({ counts: [11, 22, 33], sumUs: 105 })
})
