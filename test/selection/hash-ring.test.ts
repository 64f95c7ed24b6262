/**
 * 128 points per slot: a slot's share of the ring has a relative deviation of about 1 / sqrt(128) = 9 %. Four of these
 * deviations are allowed, 35 %, for the sizes and the keys below, which are fixed.
 */
import { describe, expect, test } from 'vitest'
import { HashRing, keyHash } from '../../src/selection/hash-ring.js'

const KEYS = Array.from({ length: 20_000 }, (_, k) => `customer-${k}`)
const SLACK = 1.35

function owners(size: number): number[] {
  const ring = new HashRing(size, 128)
  return KEYS.map((key) => ring.slot(ring.position(key)))
}

describe('HashRing', () => {
  test.each([2, 4, 10, 64])('shares its keys among %i slots evenly within the bound', (size) => {
    const counts = new Array<number>(size).fill(0)
    for (const slot of owners(size)) counts[slot]!++
    const mean = KEYS.length / size
    expect(Math.max(...counts)).toBeLessThan(mean * SLACK)
    expect(Math.min(...counts)).toBeGreaterThan(mean / SLACK)
  })

  test.each([1, 2, 4, 9, 63])('one slot more than %i takes its share and moves no other key', (size) => {
    const before = owners(size)
    const after = owners(size + 1)
    const moved = KEYS.filter((_, k) => before[k] !== after[k]).length
    expect(after.every((slot, k) => slot === before[k] || slot === size)).toBe(true)
    expect(moved).toBeLessThan((KEYS.length / (size + 1)) * SLACK)
    expect(moved).toBeGreaterThan(0)
  })

  test('points depend on the slot alone: a ring built again places every key alike', () => {
    expect(owners(8)).toEqual(owners(8))
  })

  test('following the ring from a key meets every slot', () => {
    const ring = new HashRing(5, 16)
    const start = ring.position('x')
    expect(ring.length).toBe(80)
    expect(new Set(Array.from({ length: 80 }, (_, step) => ring.slot(start, step))).size).toBe(5)
  })

  test('a key beyond the last point belongs to the first', () => {
    const ring = new HashRing(1, 1)
    const positions = new Set(KEYS.map((key) => ring.position(key)))
    expect([...positions]).toEqual([0])
  })
})

describe('keyHash', () => {
  test('spreads keys that differ little, in length or in one sign', () => {
    const keys = ['', 'a', 'b', 'aa', 'ab', 'ba', 'ä', '\u{1F600}', '0', '00']
    const hashes = keys.map(keyHash)
    expect(new Set(hashes).size).toBe(keys.length)
    for (const hash of hashes) expect(Number.isInteger(hash) && hash >= 0 && hash < 2 ** 32).toBe(true)
  })

  test('every bit of a hash is set for half of the keys', () => {
    for (let bit = 0; bit < 32; bit++) {
      const set = KEYS.filter((key) => (keyHash(key) >>> bit) & 1).length
      // 20,000 fair coins deviate by 71 (one sigma); five are allowed.
      expect(Math.abs(set - KEYS.length / 2)).toBeLessThan(355)
    }
  })
})
