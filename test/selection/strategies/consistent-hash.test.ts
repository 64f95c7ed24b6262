/** The bounds on moved keys are those of the ring, derived below: a fair share plus 35 %. */

import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/random.js'
import { consistentHash, HashRing, keyHash } from '../../../src/selection/strategies/consistent-hash.js'
import { misfit } from '../../support/chi-square.js'
import { FakeLoadView } from '../../support/fake-load-view.js'
import { picks, scripted, tally } from '../../support/seeded-picks.js'

const KEYS = Array.from({ length: 5000 }, (_, k) => `order/${k}`)
const standard = { points: 128, spill: 'table' } as const

function placed(strategy: ReturnType<typeof consistentHash.create>, view: FakeLoadView): number[] {
  return KEYS.map((key) => strategy.pick(view, { key }))
}

describe('consistent-hash', () => {
  test('equal keys go to one worker, without a draw and whatever the loads', () => {
    const view = new FakeLoadView(5)
    const strategy = consistentHash.create(standard, { random: scripted(), size: 5 })
    const [owner] = picks(strategy, view, 1, { key: 'a' })
    view.set(owner!, { load: 100, outstanding: 50 })
    expect(new Set(picks(strategy, view, 100, { key: 'a' }))).toEqual(new Set([owner]))
  })

  test('a replaced worker on the same slot moves nothing, nor does another pool of that size', () => {
    const view = new FakeLoadView(8)
    const strategy = consistentHash.create(standard, { random: scripted() })
    const before = placed(strategy, view)
    strategy.membershipChanged?.(view)
    expect(placed(strategy, view)).toEqual(before)
    expect(placed(consistentHash.create(standard, { random: scripted(), size: 8 }), new FakeLoadView(8))).toEqual(
      before,
    )
  })

  test('a worker less gives away its own keys only; a worker more takes its share only', () => {
    const view = new FakeLoadView(8)
    const strategy = consistentHash.create(standard, { random: scripted() })
    const eight = placed(strategy, view)
    view.resize(7)
    const seven = placed(strategy, view)
    expect(seven.every((slot, k) => slot === eight[k] || eight[k] === 7)).toBe(true)
    view.resize(9)
    const nine = placed(strategy, view)
    expect(nine.every((slot, k) => slot === eight[k] || slot === 8)).toBe(true)
    expect(nine.filter((slot) => slot === 8).length).toBeLessThan((KEYS.length / 9) * 1.35)
  })

  test('while its worker is no candidate a key goes through the table, and comes back', () => {
    const view = new FakeLoadView(4)
    const strategy = consistentHash.create(standard, { random: seededRandom(1) })
    const owner = strategy.pick(view, { key: 'a' })
    view.set(owner, { candidate: false })
    const spilled = new Set(picks(strategy, view, 200, { key: 'a' }))
    expect(spilled).toEqual(new Set([0, 1, 2, 3].filter((slot) => slot !== owner)))
    view.set(owner, { candidate: true })
    expect(strategy.pick(view, { key: 'a' })).toBe(owner)
  })

  test('spilling along the ring keeps equal keys together and spreads those of one worker', () => {
    const view = new FakeLoadView(4)
    const strategy = consistentHash.create({ ...standard, spill: 'ring' }, { random: scripted() })
    const before = placed(strategy, view)
    view.set(2, { candidate: false })
    const after = placed(strategy, view)
    expect(placed(strategy, view)).toEqual(after)
    expect(after.every((slot, k) => slot === before[k] || before[k] === 2)).toBe(true)
    expect(new Set(after.filter((_, k) => before[k] === 2))).toEqual(new Set([0, 1, 3]))
    for (const index of [0, 1, 3]) view.set(index, { candidate: false })
    expect(strategy.pick(view, { key: 'a' })).toBe(-1)
  })

  test('without a key the table decides (chi-square of single draws, p = 0.001)', () => {
    const view = new FakeLoadView([0, 40, 80].map((load) => ({ load })))
    const counts = tally(consistentHash.create(standard, { random: seededRandom(5) }), view, 30_000)
    expect(misfit(counts, [101 ** 2, 61 ** 2, 21 ** 2])).toBeLessThan(1)
  })

  test('the empty string is a key', () => {
    expect(
      consistentHash.create(standard, { random: scripted() }).pick(new FakeLoadView(3), { key: '' }),
    ).toBeGreaterThan(-1)
  })
})

/**
 * 128 points per slot: a slot's share of the ring has a relative deviation of about 1 / sqrt(128) = 9 %. Four of these
 * deviations are allowed, 35 %, for the sizes and the keys below, which are fixed.
 */
const RING_KEYS = Array.from({ length: 20_000 }, (_, k) => `customer-${k}`)
const SLACK = 1.35

function owners(size: number): number[] {
  const ring = new HashRing(size, 128)
  return RING_KEYS.map((key) => ring.slot(ring.position(key)))
}

describe('HashRing', () => {
  test.each([2, 4, 10, 64])('shares its keys among %i slots evenly within the bound', (size) => {
    const counts = new Array<number>(size).fill(0)
    for (const slot of owners(size)) counts[slot]!++
    const mean = RING_KEYS.length / size
    expect(Math.max(...counts)).toBeLessThan(mean * SLACK)
    expect(Math.min(...counts)).toBeGreaterThan(mean / SLACK)
  })

  test.each([1, 2, 4, 9, 63])('one slot more than %i takes its share and moves no other key', (size) => {
    const before = owners(size)
    const after = owners(size + 1)
    const moved = RING_KEYS.filter((_, k) => before[k] !== after[k]).length
    expect(after.every((slot, k) => slot === before[k] || slot === size)).toBe(true)
    expect(moved).toBeLessThan((RING_KEYS.length / (size + 1)) * SLACK)
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
    const positions = new Set(RING_KEYS.map((key) => ring.position(key)))
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
      const set = RING_KEYS.filter((key) => (keyHash(key) >>> bit) & 1).length
      // 20,000 fair coins deviate by 71 (one sigma); five are allowed.
      expect(Math.abs(set - RING_KEYS.length / 2)).toBeLessThan(355)
    }
  })
})
