import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/random.js'
import { ReportedTable } from '../../src/selection/reported-table.js'
import { misfit } from '../support/chi-square.js'
import { FakeLoadView } from '../support/fake-load-view.js'
import { scripted } from '../support/seeded-picks.js'

describe('ReportedTable', () => {
  test('a draw hits the seed ranges of the reported loads', () => {
    const view = FakeLoadView.ofLoads([0, 50, 100])
    const table = new ReportedTable(scripted(0, 100 / 153, 101 / 153, 151.5 / 153, 152.5 / 153), 1)
    expect([0, 1, 2, 3, 4].map(() => table.first(view))).toEqual([0, 0, 1, 1, 2])
  })

  test('loads that change without a new version are not seen, with one they are', () => {
    const view = FakeLoadView.ofLoads([101, 0])
    const table = new ReportedTable(seededRandom(1), 1)
    expect(table.first(view)).toBe(1)
    view.set(0, { reportedLoad: 0 })
    view.set(1, { reportedLoad: 101 })
    expect(table.first(view)).toBe(0)
  })

  test.each([10, 90])('the two draws of %i workers are distinct and follow the widths', (size) => {
    const loads = Array.from({ length: size }, (_, k) => (k * 7) % 90)
    const view = FakeLoadView.ofLoads(loads)
    const table = new ReportedTable(seededRandom(size), 1)
    const counts = new Array<number>(size).fill(0)
    for (let k = 0; k < 50_000; k++) {
      const first = table.first(view)
      expect(table.second(first)).not.toBe(first)
      counts[first]!++
    }
    expect(
      misfit(
        counts,
        loads.map((load) => 101 - load),
      ),
    ).toBeLessThan(1)
  })

  test('non-candidates and loads that are no number own nothing, and a single owner takes no draw', () => {
    const view = new FakeLoadView([{ candidate: false }, { reportedLoad: Number.NaN }, { reportedLoad: 100 }])
    const table = new ReportedTable(scripted(), 1)
    expect([table.first(view), table.second(2)]).toEqual([2, -1])
    view.set(2, { candidate: false })
    expect([table.first(view), table.second(2)]).toEqual([-1, -1])
  })

  test('of two owners the second draw is the other one, without a draw', () => {
    const view = FakeLoadView.ofLoads([20, 40])
    const table = new ReportedTable(scripted(0.1, 0.9), 1)
    expect([table.first(view), table.second(0)]).toEqual([0, 1])
    expect([table.first(view), table.second(1)]).toEqual([1, 0])
  })

  test('a pool that shrinks takes its workers out of the table', () => {
    const view = new FakeLoadView(90)
    const table = new ReportedTable(seededRandom(3), 1)
    table.first(view)
    for (const size of [70, 3, 1]) {
      view.resize(size)
      for (let k = 0; k < 200; k++) expect(table.first(view)).toBeLessThan(size)
    }
  })
})
