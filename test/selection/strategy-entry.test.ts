import { describe, expect, test } from 'vitest'
import { resolveParameters, type StrategyEntry } from '../../src/selection/strategy-entry.js'

const entry: StrategyEntry = {
  name: 'example',
  summary: '',
  formula: '',
  cost: '',
  source: '',
  whenNotTo: '',
  parameters: [
    { name: 'draws', type: 'integer', default: 2, min: 1, max: 3, meaning: '' },
    { name: 'gain', type: 'number', default: 0.5, min: 0, max: 1, meaning: '' },
    { name: 'signal', type: 'choice', default: 'a', allowed: ['a', 'b'], meaning: '' },
    { name: 'weights', type: 'weights', default: undefined, max: 10, meaning: '' },
    { name: 'turns', type: 'integer-weights', default: undefined, max: 10, meaning: '' },
  ],
  create: () => ({ name: 'example', pick: () => -1 }),
}

describe('resolveParameters', () => {
  test('fills in the defaults and keeps what was given', () => {
    expect(resolveParameters(entry, { name: 'example' })).toEqual({ draws: 2, gain: 0.5, signal: 'a' })
    const given = { draws: 3, gain: 0, signal: 'b', weights: [0.5, 0], turns: [1, 2] }
    expect(resolveParameters(entry, { name: 'example', ...given }, 2)).toEqual(given)
  })

  test('undefined counts as not given', () => {
    expect(resolveParameters(entry, { draws: undefined })).toMatchObject({ draws: 2 })
  })

  test('where the number of workers is not known a list of any length will do, but not an empty one', () => {
    expect(resolveParameters(entry, { weights: [1, 2, 3] })).toMatchObject({ weights: [1, 2, 3] })
    expect(() => resolveParameters(entry, { weights: [] })).toThrow(/at least 1/)
  })

  test('the caller may change the list it gave', () => {
    const weights = [1, 2]
    const resolved = resolveParameters(entry, { weights })
    weights[0] = 9
    expect(resolved.weights).toEqual([1, 2])
  })

  test.each([
    [{ draw: 2 }, TypeError, /strategy\.draw: unknown option; did you mean 'draws'\?/],
    [{ draws: '2' }, TypeError, /strategy\.draws/],
    [{ draws: 1.5 }, RangeError, /strategy\.draws/],
    [{ draws: 4 }, RangeError, /from 1 to 3/],
    [{ draws: Number.NaN }, RangeError, /strategy\.draws/],
    [{ gain: null }, TypeError, /strategy\.gain/],
    [{ gain: Number.NaN }, RangeError, /strategy\.gain/],
    [{ gain: 1.01 }, RangeError, /strategy\.gain/],
    [{ signal: 'c' }, RangeError, /one of a, b/],
    [{ signal: 1 }, TypeError, /strategy\.signal/],
    [{ weights: 5 }, TypeError, /array of numbers/],
    [{ weights: [] }, RangeError, /one weight per worker/],
    [{ weights: [1, 2, 3] }, RangeError, /one weight per worker \(2\), got 3/],
    [{ weights: [1, -1] }, RangeError, /strategy\.weights\[1\]/],
    [{ weights: [1, Number.NaN] }, RangeError, /strategy\.weights\[1\]/],
    [{ weights: [1, Number.POSITIVE_INFINITY] }, RangeError, /strategy\.weights\[1\]/],
    [{ weights: [1, '2'] }, TypeError, /strategy\.weights\[1\]/],
    // A hole is no number.
    [{ weights: Object.assign([1], { length: 2 }) }, TypeError, /strategy\.weights\[1\]/],
    [{ turns: [1, 0.5] }, RangeError, /strategy\.turns\[1\]/],
  ])('refuses %o', (given, kind, message) => {
    const attempt = () => resolveParameters(entry, given, 2)
    expect(attempt).toThrow(kind)
    expect(attempt).toThrow(message)
    expect(attempt).toThrow(expect.objectContaining({ code: 'EVENKEEL_INVALID_OPTION' }))
  })
})
