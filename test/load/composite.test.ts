import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaultLoad, weightedLoad } from '../../src/load/composite.js'

const web = [0.1, 0.4, 0.1, 0.1, 0.3, 0]
const ceilings = [1, 0.9, 1, 1, 1, 1]
const all = (factor: number) => [factor, factor, factor, factor, factor, 0]

test.each([
  [0.5, 50],
  [0.375, 37.5],
  [0.8, 80],
  [0, 0],
])('the web weighting of five factors of %d gives a load of %d', (factor, load) => {
  expect(weightedLoad(all(factor), web, ceilings)).toBeCloseTo(load, 9)
})

test('a factor at its ceiling makes the load 100, however small its coefficient', () => {
  expect(weightedLoad([0, 0, 1, 0, 0, 0], web, ceilings)).toBe(100)
  expect(weightedLoad([0, 0.9, 0, 0, 0, 0], web, ceilings)).toBe(100)
  expect(weightedLoad([0, 0.89, 0, 0, 0, 0], web, ceilings)).toBeCloseTo(35.6, 9)
  expect(weightedLoad([1, 0, 0, 0, 0, 0], web, [Number.POSITIVE_INFINITY, 0.9, 1, 1, 1, 1])).toBeCloseTo(10, 9)
})

test('a factor without a coefficient is left out, but for lag', () => {
  const onlyProcess = [0, 0, 0, 1, 0, 0]
  expect(weightedLoad([1, 1, 1, 0.2, 1, 0.99], onlyProcess, ceilings)).toBeCloseTo(20, 9)
  expect(weightedLoad([0, 0, 0, 0.2, 0, 1], onlyProcess, ceilings)).toBe(100)
})

test('the default load is the fuller of depth and lag', () => {
  expect(defaultLoad(0.25, 0.5)).toBe(50)
  expect(defaultLoad(0.75, 0.5)).toBe(75)
  expect(defaultLoad(1, 1)).toBe(100)
})

test('a weighted load is within 0..100 and grows with every factor', () => {
  const unit = fc.double({ min: 0, max: 1, noNaN: true })
  const factors = fc.array(unit, { minLength: 6, maxLength: 6 })
  fc.assert(
    fc.property(factors, factors, fc.nat(5), unit, (coefficients, values, index, more) => {
      const sum = coefficients.reduce((total, value) => total + value, 0)
      fc.pre(sum > 0)
      const normal = coefficients.map((value) => value / sum)
      const before = weightedLoad(values, normal, ceilings)
      values[index] = Math.min(1, values[index]! + more)
      const after = weightedLoad(values, normal, ceilings)
      expect(before).toBeGreaterThanOrEqual(0)
      expect(after).toBeLessThanOrEqual(100)
      expect(after).toBeGreaterThanOrEqual(before - 1e-9)
    }),
    { seed: 23 },
  )
})
