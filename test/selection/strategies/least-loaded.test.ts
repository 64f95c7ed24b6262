import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/random.js'
import { leastLoaded } from '../../../src/selection/strategies/least-loaded.js'
import { rangeTable } from '../../../src/selection/strategies/range-table.js'
import { misfit } from '../../support/chi-square.js'
import { FakeLoadView } from '../../support/fake-load-view.js'
import { scripted, tally } from '../../support/seeded-picks.js'

describe('least-loaded', () => {
  test('takes the smallest reported load and does not see the exact one', () => {
    const view = new FakeLoadView([{ reportedLoad: 30 }, { reportedLoad: 20, load: 100 }, { reportedLoad: 40 }])
    expect(leastLoaded.create({}, { random: scripted() }).pick(view, {})).toBe(1)
  })

  test('draws among ties (chi-square, p = 0.001)', () => {
    const counts = tally(leastLoaded.create({}, { random: seededRandom(1) }), new FakeLoadView(3), 30_000)
    expect(misfit(counts, [1, 1, 1])).toBeLessThan(1)
  })

  test('between two reports everything goes to one worker, where the range table spreads it', () => {
    const view = FakeLoadView.ofLoads([11, 10, 12, 13])
    expect(tally(leastLoaded.create({}, { random: seededRandom(1) }), view, 1000)).toEqual([0, 1000, 0, 0])
    const table = rangeTable.create({ draws: 1, steepness: 1, signal: 'reported' }, { random: seededRandom(1) })
    // Widths 90, 91, 89, 88: about a quarter each; four standard deviations of 1,000 draws are 55.
    for (const count of tally(table, view, 1000)) expect(Math.abs(count - 250)).toBeLessThan(60)
  })
})
