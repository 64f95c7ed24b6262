import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Ewma } from '../../src/load/ewma.js'
import '../support/seeded-properties.js'

test('each sample moves an exponential average by alpha of the distance', () => {
  const average = new Ewma(0.25, 1)
  average.add(0, 0)
  expect(average.add(0, 100)).toBe(25)
  expect(average.add(0, 100)).toBe(43.75)
  expect(average.add(0, 43.75)).toBe(43.75)
})

test('an alpha of 1 does not smooth: the last sample is the value, and the span is that one', () => {
  const average = new Ewma(1, 1)
  for (const sample of [3, 80, 0, 12]) expect(average.add(0, sample)).toBe(sample)
  expect(average.span).toBe(1)
})

test('the span is the first number of samples after which a twentieth of an old value is left at most', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-3, max: 0.99, noNaN: true }), (alpha) => {
      const { span } = new Ewma(alpha, 1)
      expect((1 - alpha) ** span).toBeLessThanOrEqual(0.05 + 1e-9)
      expect((1 - alpha) ** (span - 1)).toBeGreaterThan(0.05 - 1e-9)
    }),
  )
})

test('the smaller the alpha the longer the span, down to the smallest that can be given', () => {
  const spans = [0.5, 1e-2, 1e-9, 1e-15, 1e-17, Number.MIN_VALUE].map((alpha) => new Ewma(alpha, 1).span)
  expect(spans).toEqual(spans.toSorted((a, b) => a - b))
  expect(spans[0]).toBeGreaterThan(1)
})

test('a jump to a level that stays is approached from one side and never passed', () => {
  const unit = fc.double({ min: 0, max: 100, noNaN: true })
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 1, noNaN: true }), unit, unit, (alpha, from, to) => {
      const average = new Ewma(alpha, 1)
      let distance = Math.abs(to - average.add(0, from))
      for (let sample = 0; sample < 50; sample++) {
        const value = average.add(0, to)
        expect(value).toBeGreaterThanOrEqual(Math.min(from, to) - 1e-9)
        expect(value).toBeLessThanOrEqual(Math.max(from, to) + 1e-9)
        expect(Math.abs(to - value)).toBeLessThanOrEqual(distance + 1e-9)
        distance = Math.abs(to - value)
      }
    }),
  )
})
