import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { orderOfRepetition } from '../../../bench/harness/seeded-order.js'

const items = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 12 })

describe('order of a repetition', () => {
  test('holds every item once', () => {
    fc.assert(
      fc.property(items, fc.nat(9), fc.nat(), (list, repetition, seed) => {
        expect([...orderOfRepetition(list, repetition, seed)].sort()).toEqual([...list].sort())
      }),
    )
  })

  test('is that of the repetition before it backwards, in pairs', () => {
    fc.assert(
      fc.property(items, fc.nat(9), fc.nat(), (list, pair, seed) => {
        const even = orderOfRepetition(list, 2 * pair, seed)
        expect(orderOfRepetition(list, 2 * pair + 1, seed)).toEqual(even.reverse())
      }),
    )
  })

  test('depends on the seed and on the pair', () => {
    const list = Array.from({ length: 20 }, (_, at) => at)
    const first = orderOfRepetition(list, 0, 1)
    expect(orderOfRepetition(list, 0, 1)).toEqual(first)
    expect(orderOfRepetition(list, 0, 2)).not.toEqual(first)
    expect(orderOfRepetition(list, 2, 1)).not.toEqual(first)
  })
})
