import fc from 'fast-check'
import '../support/seeded-properties.js'
import { describe, expect, test } from 'vitest'
import { newSmoothing } from '../../src/load/smoothing.js'

describe.each([
  ['an exponential average', () => newSmoothing({ ewmaAlpha: 0.3 }, 3)!],
  ['a sliding window', () => newSmoothing({ windowSamples: 5 }, 3)!],
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

describe('exponential average', () => {
  test('each sample moves an exponential average by alpha of the distance', () => {
    const average = newSmoothing({ ewmaAlpha: 0.25 }, 1)!
    average.add(0, 0)
    expect(average.add(0, 100)).toBe(25)
    expect(average.add(0, 100)).toBe(43.75)
    expect(average.add(0, 43.75)).toBe(43.75)
  })

  test('an alpha of 1 does not smooth: the last sample is the value, and the span is that one', () => {
    const average = newSmoothing({ ewmaAlpha: 1 }, 1)!
    for (const sample of [3, 80, 0, 12]) expect(average.add(0, sample)).toBe(sample)
    expect(average.span).toBe(1)
  })

  test('the span is the first number of samples after which a twentieth of an old value is left at most', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 0.99, noNaN: true }), (alpha) => {
        const { span } = newSmoothing({ ewmaAlpha: alpha }, 1)!
        expect((1 - alpha) ** span).toBeLessThanOrEqual(0.05 + 1e-9)
        expect((1 - alpha) ** (span - 1)).toBeGreaterThan(0.05 - 1e-9)
      }),
    )
  })

  test('the smaller the alpha the longer the span, down to the smallest that can be given', () => {
    const spans = [0.5, 1e-2, 1e-9, 1e-15, 1e-17, Number.MIN_VALUE].map(
      (alpha) => newSmoothing({ ewmaAlpha: alpha }, 1)!.span,
    )
    expect(spans).toEqual(spans.toSorted((a, b) => a - b))
    expect(spans[0]).toBeGreaterThan(1)
  })

  test('a jump to a level that stays is approached from one side and never passed', () => {
    const unit = fc.double({ min: 0, max: 100, noNaN: true })
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 1, noNaN: true }), unit, unit, (alpha, from, to) => {
        const average = newSmoothing({ ewmaAlpha: alpha }, 1)!
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
})

describe('sliding window', () => {
  test('a square wave moves a window of 5 in steps of at most a fifth, and all the way', () => {
    const window = newSmoothing({ windowSamples: 5 }, 1)!
    let before = window.add(0, 0)
    const seen = new Set<number>()
    for (let sample = 0; sample < 100; sample++) {
      const after = window.add(0, Math.floor(sample / 10) % 2 === 0 ? 1 : 0)
      expect(Math.abs(after - before)).toBeLessThanOrEqual(0.2 + 1e-12)
      seen.add(after)
      before = after
    }
    expect(seen).toContain(0)
    expect(seen).toContain(1)
  })

  test('the value is the mean of the last samples, with the first one in the place of those before it', () => {
    const step = fc.record({
      slot: fc.nat(2),
      value: fc.double({ min: 0, max: 100, noNaN: true }),
      isReset: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.array(step, { maxLength: 60 }), (span, steps) => {
        const window = newSmoothing({ windowSamples: span }, 3)!
        const kept: number[][] = [[], [], []]
        for (const { slot, value, isReset } of steps) {
          if (isReset) {
            window.reset(slot)
            kept[slot] = []
            continue
          }
          const samples = kept[slot]!
          if (samples.length === 0) samples.push(...new Array<number>(span).fill(value))
          else samples.push(value)
          const mean = samples.slice(-span).reduce((total, sample) => total + sample, 0) / span
          expect(window.add(slot, value)).toBeCloseTo(mean, 9)
        }
        for (const [slot, samples] of kept.entries()) {
          expect(Number.isNaN(window.value(slot))).toBe(samples.length === 0)
        }
      }),
    )
  })

  test('no rounding error of large samples is left once they are out of the window', () => {
    const window = newSmoothing({ windowSamples: 3 }, 1)!
    window.add(0, 1e300)
    for (let sample = 0; sample < 1_000; sample++) window.add(0, sample % 2 === 0 ? 1e16 : 0.1)
    for (let sample = 0; sample < 3; sample++) window.add(0, 0.5)
    expect(window.value(0)).toBe(0.5)
  })

  test('a window of one sample does not smooth', () => {
    const window = newSmoothing({ windowSamples: 1 }, 1)!
    for (const sample of [3, 80, 0, 12]) expect(window.add(0, sample)).toBe(sample)
  })

  test('the longest window that may be asked for moves by a thousandth', () => {
    const window = newSmoothing({ windowSamples: 1_000 }, 2)!
    window.add(1, 0)
    for (let sample = 1; sample <= 1_000; sample++) expect(window.add(1, 1)).toBeCloseTo(sample / 1_000, 9)
    expect(window.value(0)).toBeNaN()
  })
})
