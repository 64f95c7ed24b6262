/**
 * Distributions come from seeded draws and are rejected at p = 0.001. With two draws worker j is kept when it was drawn
 * first (P = w_j / W) and the other has no fewer outstanding tasks, or second (P = w_i / W * w_j / (W - w_i) after i)
 * and has fewer.
 */
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/random.js'
import { rangeTable } from '../../../src/selection/strategies/range-table.js'
import { misfit } from '../../support/chi-square.js'
import { FakeLoadView } from '../../support/fake-load-view.js'
import { picks, scripted, tally } from '../../support/seeded-picks.js'

const literal = { draws: 1, steepness: 1, signal: 'reported' } as const
const standard = { draws: 2, steepness: 2, signal: 'exact' } as const

function keptOdds(widths: readonly number[], outstanding: readonly number[]): number[] {
  const total = widths.reduce((sum, width) => sum + width, 0)
  const odds = widths.map(() => 0)
  for (const [i, first] of widths.entries()) {
    for (const [j, second] of widths.entries()) {
      if (i !== j) odds[outstanding[j]! < outstanding[i]! ? j : i]! += ((first / total) * second) / (total - first)
    }
  }
  return odds
}

describe('range-table', () => {
  test('with one draw, steepness 1 and reported loads it is the literal rule of the source', () => {
    const view = new FakeLoadView([0, 50, 100].map((reportedLoad) => ({ reportedLoad, load: 100 })))
    const draws = [0, 100, 101, 151, 152].map((draw) => (draw + 0.5) / 153)
    expect(picks(rangeTable.create(literal, { random: scripted(...draws) }), view, 5)).toEqual([0, 0, 1, 1, 2])
  })

  test.each(['exact', 'reported'] as const)('ten seeded %s loads are drawn by the widths 101 - load', (signal) => {
    const random = seededRandom(77)
    const loads = Array.from({ length: 10 }, () => 10 + Math.floor(random() * 91))
    const strategy = rangeTable.create({ draws: 1, steepness: 1, signal }, { random })
    const counts = tally(strategy, FakeLoadView.ofLoads(loads), 100_000)
    expect(
      misfit(
        counts,
        loads.map((load) => 101 - load),
      ),
    ).toBeLessThan(1)
  })

  test.each([
    ['exact', 5],
    ['exact', 70],
    ['reported', 5],
    ['reported', 70],
  ] as const)('two draws of %s loads over %i workers keep the one with fewer outstanding', (signal, size) => {
    const loads = Array.from({ length: size }, (_, k) => (k * 17) % 60)
    const outstanding = loads.map((_, k) => k % 4)
    const view = new FakeLoadView(loads.map((load, k) => ({ load, reportedLoad: load, outstanding: outstanding[k]! })))
    const strategy = rangeTable.create({ ...standard, signal }, { random: seededRandom(size) })
    const odds = keptOdds(
      loads.map((load) => (101 - load) ** 2),
      outstanding,
    )
    expect(misfit(tally(strategy, view, 60_000), odds)).toBeLessThan(1)
  })

  test('among equally many outstanding tasks the first draw stays', () => {
    const view = new FakeLoadView(3)
    const strategy = rangeTable.create(standard, { random: scripted(0.99, 0, 0.4, 0.9) })
    expect(picks(strategy, view, 2)).toEqual([2, 1])
  })

  test('the busier of two workers is passed over however the draws fall', () => {
    const view = new FakeLoadView([{ outstanding: 3 }, { outstanding: 2 }])
    expect(new Set(picks(rangeTable.create(standard, { random: seededRandom(1) }), view, 100))).toEqual(new Set([1]))
  })

  test('exact loads are read at every pick, without a new version', () => {
    const loads = [0, 101]
    const view = new FakeLoadView(2)
    view.load = (index) => loads[index]!
    const strategy = rangeTable.create(standard, { random: scripted() })
    expect(strategy.pick(view, {})).toBe(0)
    loads.reverse()
    expect(strategy.pick(view, {})).toBe(1)
  })

  test.each(['exact', 'reported'] as const)('a single worker in the table is taken without a draw: %s', (signal) => {
    for (const draws of [1, 2]) {
      const strategy = rangeTable.create({ draws, steepness: 2, signal }, { random: scripted() })
      const view = new FakeLoadView([
        { candidate: false },
        { load: 100, reportedLoad: 100 },
        { load: 101, reportedLoad: 101 },
      ])
      expect(strategy.pick(view, {})).toBe(1)
    }
  })

  test.each(['exact', 'reported'] as const)('when every load is above 100 nobody is picked: %s', (signal) => {
    for (const draws of [1, 2]) {
      const strategy = rangeTable.create({ draws, steepness: 2, signal }, { random: scripted() })
      expect(strategy.pick(FakeLoadView.ofLoads([101, 101]), {})).toBe(-1)
    }
  })

  test('a full worker is still probed', () => {
    const view = FakeLoadView.ofLoads([0, 100])
    const strategy = rangeTable.create({ draws: 1, steepness: 1, signal: 'exact' }, { random: seededRandom(9) })
    expect(misfit(tally(strategy, view, 20_000), [101, 1])).toBeLessThan(1)
  })
})
