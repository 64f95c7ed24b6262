import '../support/seeded-properties.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { feedbackWeight, rangeWidth } from '../../src/selection/weight-formulas.js'

const unit = { amplification: 1, gain: 1 }

describe('rangeWidth', () => {
  test('steepness 1 is the literal rule: 101 - load, the full worker keeps 1, above 100 nothing', () => {
    expect([0, 50, 100, 101, 5000].map((load) => rangeWidth(load, 1))).toEqual([101, 51, 1, 0, 0])
  })

  test('steepness 2 squares it', () => {
    expect([0, 50, 99, 100, 101].map((load) => rangeWidth(load, 2))).toEqual([10_201, 2601, 4, 1, 0])
  })

  test('a load that is no number owns nothing, one below 0 counts as 0', () => {
    expect(rangeWidth(Number.NaN, 2)).toBe(0)
    expect(rangeWidth(-20, 1)).toBe(101)
  })

  test('widths are at least 1 on the scale, never grow with the load, and sum exactly in any order', () => {
    const load = fc.double({ min: 0, max: 100, noNaN: true })
    const steepness = fc.double({ min: 0, max: 4, noNaN: true })
    fc.assert(
      fc.property(load, load, steepness, (a, b, power) => {
        const [high, low] = a > b ? [a, b] : [b, a]
        expect(rangeWidth(high, power)).toBeGreaterThanOrEqual(1)
        expect(rangeWidth(low, power)).toBeGreaterThanOrEqual(rangeWidth(high, power))
        expect(Number.isInteger(rangeWidth(a, power) * 1024)).toBe(true)
      }),
    )
  })
})

describe('feedbackWeight', () => {
  test.each([
    [0.5, 0.5],
    [0.625, 1],
    [0.375, 0],
  ])('initial weight 0.5 at headroom %f gives %f', (headroom, weight) => {
    expect(feedbackWeight(0.5, headroom, unit)).toBeCloseTo(weight, 12)
  })

  test('a composite load of 0.375 leaves headroom 0.625 and gives 1, one of 0.8 would give -0.17 and is held at 0', () => {
    expect(feedbackWeight(0.5, 1 - 0.375, unit)).toBeCloseTo(1, 12)
    expect(0.5 + Math.cbrt(0.2 - 0.5)).toBeCloseTo(-0.17, 2)
    expect(feedbackWeight(0.5, 1 - 0.8, unit)).toBe(0)
  })

  test('an initial weight of 0 stays 0 whatever the headroom', () => {
    expect(feedbackWeight(0, 1, unit)).toBe(0)
  })

  test('lies within 0 and twice A times DW and grows with the headroom', () => {
    const share = fc.nat(1000).map((thousandths) => thousandths / 1000)
    const factor = fc.integer({ min: 1, max: 1000 }).map((hundredths) => hundredths / 100)
    fc.assert(
      fc.property(share, share, share, factor, factor, (initial, a, b, amplification, gain) => {
        const low = feedbackWeight(initial, Math.min(a, b), { amplification, gain })
        const high = feedbackWeight(initial, Math.max(a, b), { amplification, gain })
        expect(low).toBeGreaterThanOrEqual(0)
        expect(high).toBeLessThanOrEqual(2 * amplification * initial)
        expect(high).toBeGreaterThanOrEqual(low)
      }),
    )
  })
})
