import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clampToUnit } from '../../src/load/unit-interval.js'
import '../support/seeded-properties.js'

test('a share stays as it is', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (share) => {
      expect(clampToUnit(share)).toBe(share)
    }),
  )
})

test.each([
  [-0.01, 0],
  [Number.NEGATIVE_INFINITY, 0],
  [Number.NaN, 0],
  [1 + Number.EPSILON, 1],
  [Number.POSITIVE_INFINITY, 1],
  [Number.MIN_VALUE, Number.MIN_VALUE],
])('%d is taken as %d', (value, share) => {
  expect(clampToUnit(value)).toBe(share)
})
