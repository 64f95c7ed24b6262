import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { holmCorrection } from '../../../bench/stats/holm.js'
import { compareWithReference, verdictOf } from '../../../bench/stats/verdict.js'
import { seededRandom } from '../../../src/base/random.js'

describe('holmCorrection', () => {
  test('the smallest p is multiplied by the family, the next by one fewer, and order is kept', () => {
    const corrected = holmCorrection([0.01, 0.04, 0.03, 0.005])
    expect(corrected[3]).toBeCloseTo(0.02, 12)
    expect(corrected[0]).toBeCloseTo(0.03, 12)
    expect(corrected[2]).toBeCloseTo(0.06, 12)
    expect(corrected[1]).toBeCloseTo(0.06, 12)
  })

  test('never lowers a p, never passes 1, keeps the ranking', () => {
    const p = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.array(p, { maxLength: 12 }), (values) => {
        const corrected = holmCorrection(values)
        values.forEach((value, i) => {
          expect(corrected[i]).toBeGreaterThanOrEqual(value)
          expect(corrected[i]).toBeLessThanOrEqual(1)
          values.forEach((other, j) => {
            if (value < other) expect(corrected[i]!).toBeLessThanOrEqual(corrected[j]!)
          })
        })
      }),
      { seed: 3 },
    )
  })
})

describe('verdictOf', () => {
  const clear = { ratio: 0.8, low: 0.75, high: 0.85 }

  test('a clear drop is better where lower is better and worse where higher is', () => {
    expect(verdictOf(clear, 0.01, 'lower')).toBe('better')
    expect(verdictOf(clear, 0.01, 'higher')).toBe('worse')
    expect(verdictOf({ ratio: 1.2, low: 1.1, high: 1.3 }, 0.01, 'lower')).toBe('worse')
  })

  test('without significance a wide interval shows no difference', () => {
    expect(verdictOf(clear, 0.2, 'lower')).toBe('no difference shown')
  })

  test('a certain difference that may be under two per cent is noise', () => {
    expect(verdictOf({ ratio: 0.98, low: 0.97, high: 0.99 }, 0.001, 'lower')).toBe('within noise')
  })

  test('an interval inside two per cent is noise whatever p is', () => {
    expect(verdictOf({ ratio: 1, low: 0.99, high: 1.01 }, 0.9, 'lower')).toBe('within noise')
  })
})

describe('compareWithReference', () => {
  test('five interleaved runs suffice to show a clear difference, beside one that shows none', () => {
    const reference = [10, 11, 10.5, 10.2, 10.8]
    const comparisons = compareWithReference(
      { fast: [5, 5.4, 5.2, 5.1, 5.3], same: [10.9, 10.1, 10.4, 10.9, 10.3], slow: [20, 22, 21, 20, 21] },
      reference,
      seededRandom(1),
    )
    expect(comparisons.map(({ system, verdict }) => `${system}: ${verdict}`)).toEqual([
      'fast: better',
      'same: no difference shown',
      'slow: worse',
    ])
    expect(comparisons[0]!.p).toBeCloseTo((3 * 2) / 252, 12)
  })

  test('from eight pairs on, the pairing is used: a small steady gain inside a wide scatter is shown', () => {
    const reference = [1, 2, 4, 8, 16, 32, 64, 128]
    const [comparison] = compareWithReference(
      { steady: reference.map((value) => value * 0.9) },
      reference,
      seededRandom(1),
    )
    expect(comparison!.verdict).toBe('better')
    expect(comparison!.p).toBe(2 / 256)
  })
})
