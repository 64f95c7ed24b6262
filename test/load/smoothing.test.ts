import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Ewma } from '../../src/load/ewma.js'
import { SlidingWindow } from '../../src/load/sliding-window.js'

describe.each([
  ['an exponential average', () => new Ewma(0.3, 3)],
  ['a sliding window', () => new SlidingWindow(5, 3)],
])('%s', (_name, create) => {
  test('has no value before its first sample and takes that as it is', () => {
    const smoothing = create()
    expect(smoothing.value(1)).toBeNaN()
    expect(smoothing.add(1, 40)).toBe(40)
    expect(smoothing.value(1)).toBe(40)
  })

  test('keeps slots apart and forgets one alone', () => {
    const smoothing = create()
    for (const slot of [0, 1, 2]) smoothing.add(slot, slot * 10)
    smoothing.reset(1)
    expect([0, 1, 2].map((slot) => smoothing.value(slot))).toEqual([0, Number.NaN, 20])
    expect(smoothing.add(1, 7)).toBe(7)
  })

  test('stays within the range of its samples', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 1 }), (samples) => {
        const smoothing = create()
        for (const sample of samples) smoothing.add(2, sample)
        expect(smoothing.value(2)).toBeGreaterThanOrEqual(Math.min(...samples) - 1e-9)
        expect(smoothing.value(2)).toBeLessThanOrEqual(Math.max(...samples) + 1e-9)
      }),
      { seed: 24 },
    )
  })

  test('has all but forgotten an old value after its span', () => {
    const smoothing = create()
    smoothing.add(0, 100)
    for (let sample = 0; sample < smoothing.span; sample++) smoothing.add(0, 0)
    expect(smoothing.value(0)).toBeLessThanOrEqual(5)
  })
})
