import { describe, expect, test } from 'vitest'
import { labelPermutationP, pairedPermutationP } from '../../../bench/stats/permutation.js'
import { seededRandom } from '../../../src/base/random.js'

const random = seededRandom(1)
const ones = (count: number): number[] => new Array(count).fill(1)

describe('pairedPermutationP', () => {
  test('five pairs that all favour one side give 2 of 32 sign patterns', () => {
    expect(pairedPermutationP([2, 2.1, 2.2, 2.3, 2.4], ones(5), random)).toBe(2 / 32)
  })

  test('log ratios 1, 2, -3 sum to nothing, so every pattern is as extreme', () => {
    expect(pairedPermutationP([Math.E, Math.E ** 2, Math.E ** -3], ones(3), random)).toBe(1)
  })

  test('log ratios 1, 2, 3, -1: 6 of 16 patterns reach the observed sum of 5', () => {
    // Sums of at least 5 in size: all plus (7), the one minus at either 1 (5, 5), and their mirrors: 6 of 16.
    expect(pairedPermutationP([Math.E, Math.E ** 2, Math.E ** 3, Math.E ** -1], ones(4), random)).toBe(6 / 16)
  })

  test('identical runs show nothing', () => {
    expect(pairedPermutationP([3, 4], [3, 4], random)).toBe(1)
  })

  test('30 pairs are sampled, agree with the seed, and never give a p of 0', () => {
    const system = Array.from({ length: 30 }, (_, i) => 1.5 + i / 100)
    const p = pairedPermutationP(system, ones(30), seededRandom(9))
    expect(p).toBe(1 / 20_001)
  })
})

describe('labelPermutationP', () => {
  test('five runs against five, all apart, give 2 of 252 splits', () => {
    expect(labelPermutationP([6, 7, 8, 9, 10], [1, 2, 3, 4, 5], random)).toBe(2 / 252)
  })

  test('one run against one shows nothing', () => {
    expect(labelPermutationP([2], [1], random)).toBe(1)
  })

  test('under no difference p is below 0.05 in about one of twenty experiments', () => {
    // 300 experiments: standard deviation 1.26 %, so 0.1 is almost four of them above 0.05.
    const draw = seededRandom(4)
    let found = 0
    for (let experiment = 0; experiment < 300; experiment++) {
      const runs = Array.from({ length: 10 }, () => Math.exp(draw()))
      if (labelPermutationP(runs.slice(0, 5), runs.slice(5), draw) < 0.05) found++
    }
    expect(found / 300).toBeLessThan(0.1)
    expect(found).toBeGreaterThan(0)
  })

  test('many runs are sampled and still found apart', () => {
    const low = Array.from({ length: 20 }, (_, i) => 1 + i / 100)
    const high = Array.from({ length: 20 }, (_, i) => 1.5 + i / 100)
    expect(labelPermutationP(low, high, seededRandom(2))).toBeLessThan(0.001)
  })
})
