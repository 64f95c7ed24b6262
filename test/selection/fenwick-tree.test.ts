import '../support/seeded-properties.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FenwickTree } from '../../src/selection/fenwick-tree.js'

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
