import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/random.js'
import { ArrivalEstimate } from '../../src/selection/arrival-estimate.js'
import { FakeLoadView } from '../support/fake-load-view.js'

/** Runs `periods` report periods of `perPeriod` picks; reports come together, or each at its own moment. */
function run(
  estimate: ArrivalEstimate,
  view: FakeLoadView,
  perPeriod: number,
  periods: number,
  together: boolean,
): number {
  let expected = 0
  for (let pick = 0; pick < perPeriod * periods; pick++) {
    view.age(1)
    for (let index = 0; index < view.size; index++) {
      const phase = together ? 0 : Math.floor((index * perPeriod) / view.size)
      if (pick % perPeriod === phase) view.set(index, { reportAgeMs: 0 })
    }
    expected = estimate.observe(view)
    estimate.count()
  }
  return expected
}

describe('ArrivalEstimate', () => {
  test.each([true, false])('finds the picks of one report period, reports together: %s', (together) => {
    expect(run(new ArrivalEstimate(), new FakeLoadView(5), 40, 20, together)).toBeCloseTo(40, 6)
  })

  test('follows a rate that changes, within a few periods', () => {
    const estimate = new ArrivalEstimate()
    const view = new FakeLoadView(10)
    run(estimate, view, 100, 5, false)
    expect(run(estimate, view, 20, 6, false)).toBeLessThan(22)
  })

  test('expects as many tasks as workers before a whole period was seen', () => {
    const view = new FakeLoadView(7)
    const estimate = new ArrivalEstimate()
    expect(estimate.observe(view)).toBe(7)
    view.age(5)
    expect(estimate.observe(view)).toBe(7)
  })

  test('is steady under random arrivals: the mean of the estimate is the mean of the arrivals', () => {
    const random = seededRandom(4)
    const view = new FakeLoadView(10)
    const estimate = new ArrivalEstimate()
    let sum = 0
    let looks = 0
    for (let tick = 0; tick < 40_000; tick++) {
      view.age(1)
      view.set(tick % 10, tick % 50 < 10 ? { reportAgeMs: 0 } : {})
      if (random() < 0.5) {
        sum += estimate.observe(view)
        looks++
        estimate.count()
      }
    }
    // 25 arrivals are expected in a period of 50; seeded, and a tenth is far beyond the estimate's own scatter.
    expect(Math.abs(sum / looks - 25)).toBeLessThan(2.5)
  })

  test('a period counts from the first report that is seen to arrive, and an unreadable age is none', () => {
    const view = new FakeLoadView([{ reportAgeMs: Number.NaN }])
    const estimate = new ArrivalEstimate()
    const look = (picks: number, reportAgeMs: number): number => {
      for (let k = 0; k < picks; k++) estimate.count()
      view.set(0, { reportAgeMs })
      return estimate.observe(view)
    }
    expect([look(9, Number.NaN), look(9, 3), look(2, 8), look(4, 0), look(3, 2)]).toEqual([1, 1, 1, 1, 1])
    expect(look(2, 1)).toBe(5)
  })

  test('takes workers that join', () => {
    const view = new FakeLoadView(2)
    const estimate = new ArrivalEstimate()
    estimate.observe(view)
    view.resize(80)
    expect(estimate.observe(view)).toBe(80)
  })
})
