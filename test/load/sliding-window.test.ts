import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SlidingWindow } from '../../src/load/sliding-window.js'
import '../support/seeded-properties.js'

test('a square wave moves a window of 5 in steps of at most a fifth, and all the way', () => {
  const window = new SlidingWindow(5, 1)
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
      const window = new SlidingWindow(span, 3)
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
  const window = new SlidingWindow(3, 1)
  window.add(0, 1e300)
  for (let sample = 0; sample < 1_000; sample++) window.add(0, sample % 2 === 0 ? 1e16 : 0.1)
  for (let sample = 0; sample < 3; sample++) window.add(0, 0.5)
  expect(window.value(0)).toBe(0.5)
})

test('a window of one sample does not smooth', () => {
  const window = new SlidingWindow(1, 1)
  for (const sample of [3, 80, 0, 12]) expect(window.add(0, sample)).toBe(sample)
})

test('the longest window that may be asked for moves by a thousandth', () => {
  const window = new SlidingWindow(1_000, 2)
  window.add(1, 0)
  for (let sample = 1; sample <= 1_000; sample++) expect(window.add(1, 1)).toBeCloseTo(sample / 1_000, 9)
  expect(window.value(0)).toBeNaN()
})
