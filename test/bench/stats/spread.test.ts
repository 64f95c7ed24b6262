import { describe, expect, test } from 'vitest'
import { herdIndex, jainFairness, pileOnIndex } from '../../../bench/stats/spread.js'

describe('jainFairness', () => {
  test('is 1 for equal shares, 1/n when one has all, and 6/7 for shares of 1, 2 and 3', () => {
    expect(jainFairness([3, 3, 3])).toBe(1)
    expect(jainFairness([0, 0, 5, 0])).toBe(0.25)
    expect(jainFairness([1, 2, 3])).toBeCloseTo(36 / 42, 12)
  })

  test('has no value when nothing was shared', () => {
    expect(jainFairness([0, 0])).toBeNaN()
  })
})

describe('pileOnIndex', () => {
  test('is the stalled worker’s share, and has no value when nothing was sent', () => {
    expect(pileOnIndex(500, 500)).toBe(1)
    expect(pileOnIndex(0, 500)).toBe(0)
    expect(pileOnIndex(0, 0)).toBeNaN()
  })
})

describe('herdIndex', () => {
  test('is 1 when each interval goes to one worker, although the totals are even', () => {
    expect(
      herdIndex([
        [10, 0],
        [0, 10],
      ]),
    ).toBe(1)
  })

  test('is 1/workers for an even spread and weighs intervals by their tasks', () => {
    expect(
      herdIndex([
        [5, 5],
        [5, 5],
      ]),
    ).toBe(0.5)
    expect(herdIndex([[30, 0], [5, 5], new Float64Array(2)])).toBeCloseTo(35 / 40, 12)
  })
})
