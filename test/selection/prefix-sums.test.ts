import '../support/seeded-properties.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FenwickTree, firstAbove } from '../../src/selection/prefix-sums.js'

describe('firstAbove', () => {
  test.each([
    [0, 0],
    [5, 0],
    [6, 1],
    [8, 1],
    [9, 2],
  ])('with sums 6, 9, 10 the draw %i goes to position %i', (draw, position) => {
    expect(firstAbove([6, 9, 10], 3, draw)).toBe(position)
  })

  test('leaves no gap: the draw just below a sum belongs before it, the sum itself after it', () => {
    expect(firstAbove([6, 9, 10], 3, 5.999)).toBe(0)
    expect(firstAbove([6, 9, 10], 3, 8.5)).toBe(1)
  })

  test('never finds an entry of weight 0', () => {
    expect([0, 1, 2].map((draw) => firstAbove([0, 1, 1, 3, 3], 5, draw))).toEqual([1, 3, 3])
  })

  test('looks at the first count entries only and says -1 when none is greater', () => {
    expect(firstAbove([6, 9, 10], 2, 9)).toBe(-1)
    expect(firstAbove([], 0, 0)).toBe(-1)
  })
})

const weight = fc.integer({ min: 0, max: 20 })

describe('FenwickTree', () => {
  test('answers every draw as a plain walk over the weights does, after any changes', () => {
    const changes = fc.array(fc.tuple(fc.nat(149), weight), { maxLength: 40 })
    fc.assert(
      fc.property(fc.array(weight, { minLength: 1, maxLength: 150 }), changes, (weights, sets) => {
        const tree = new FenwickTree(weights)
        for (const [place, value] of sets) {
          weights[place % weights.length] = value
          tree.set(place % weights.length, value)
        }
        const owners = weights.flatMap((value, index) => new Array<number>(value).fill(index))
        expect(tree.total).toBe(owners.length)
        expect(owners.map((_, draw) => tree.find(draw))).toEqual(owners)
        expect(owners.map((_, draw) => tree.find(draw + 0.999))).toEqual(owners)
      }),
      { numRuns: 60 },
    )
  })

  test('tells each weight and the sum before it', () => {
    const tree = new FenwickTree([5, 0, 3, 2])
    expect([0, 1, 2, 3, 4].map((index) => tree.before(index))).toEqual([0, 5, 5, 8, 10])
    expect([0, 1, 2, 3].map((index) => tree.weight(index))).toEqual([5, 0, 3, 2])
  })

  test('an empty tree has total 0', () => {
    expect(new FenwickTree([]).total).toBe(0)
  })
})
