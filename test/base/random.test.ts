import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom, systemRandom } from '../../src/base/random.js'

describe('seededRandom', () => {
  test('gives the same numbers for the same seed, all in [0, 1)', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (seed) => {
        const [a, b] = [seededRandom(seed), seededRandom(seed)]
        for (let i = 0; i < 20; i++) {
          const value = a()
          expect(value).toBe(b())
          expect(value >= 0 && value < 1).toBe(true)
        }
      }),
    )
  })

  test('gives other numbers for neighbouring seeds, and for seeds that differ above 32 bits', () => {
    const first = [0, 1, 2, 2 ** 32, 2 ** 33, -1].map((seed) => seededRandom(seed)())
    expect(new Set(first).size).toBe(first.length)
  })

  test('spreads evenly: 16,000 draws over 16 cells pass a chi-squared test', () => {
    const random = seededRandom(7)
    const cells = new Array<number>(16).fill(0)
    for (let i = 0; i < 16_000; i++) cells[Math.floor(random() * 16)]!++
    const chiSquared = cells.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)
    // 15 degrees of freedom, upper 0.1 % point; the seed is fixed, so the outcome is too.
    expect(chiSquared).toBeLessThan(37.7)
  })
})

test('systemRandom stays in [0, 1) and varies', () => {
  const values = Array.from({ length: 50 }, systemRandom)
  expect(values.every((value) => value >= 0 && value < 1)).toBe(true)
  expect(new Set(values).size).toBeGreaterThan(1)
})
