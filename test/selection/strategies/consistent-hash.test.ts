/** The bounds on moved keys are those of the ring, derived in hash-ring.test.ts: a fair share plus 35 %. */
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/random.js'
import { consistentHash } from '../../../src/selection/strategies/consistent-hash.js'
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
