import '../../support/seeded-properties.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/random.js'
import {
  ArrivalEstimate,
  loadInterpretation,
  waterLevel,
} from '../../../src/selection/strategies/load-interpretation.js'
import { misfit } from '../../support/chi-square.js'
import { FakeLoadView } from '../../support/fake-load-view.js'

/** Lets all workers report every `perPeriod` picks and counts the winners of the last `periods` periods. */
function run(depths: readonly number[], perPeriod: number, periods: number): number[] {
  const view = new FakeLoadView(depths.map((reportedDepth) => ({ reportedDepth })))
  const strategy = loadInterpretation.create({}, { random: seededRandom(11) })
  const arrival = seededRandom(12)
  const counts = depths.map(() => 0)
  for (let period = -10; period < periods; period++) {
    for (let index = 0; index < view.size; index++) view.set(index, { reportAgeMs: 0 })
    for (let k = 0; k < perPeriod; k++) {
      view.age(arrival())
      const index = strategy.pick(view, {})
      if (period >= 0) counts[index]!++
    }
  }
  return counts
}

describe('load-interpretation', () => {
  test('12 arrivals per report over depths 0, 4, 10 fill up to level 8: shares 8, 4, 0 (chi-square, p = 0.001)', () => {
    const counts = run([0, 4, 10], 12, 2000)
    expect(counts[2]).toBe(0)
    expect(misfit(counts.slice(0, 2), [8, 4])).toBeLessThan(1)
  })

  test('with many arrivals per report the differences no longer matter', () => {
    // Level (600 + 14) / 3 = 204.67: shares 204.67, 200.67, 194.67.
    expect(misfit(run([0, 4, 10], 600, 40), [204.67, 200.67, 194.67])).toBeLessThan(1)
  })

  test('with one arrival per report the report is taken at its word', () => {
    expect(run([4, 0, 5], 1, 100)).toEqual([0, 100, 0])
  })

  test('when the report is fresh and workers tie, each is as likely', () => {
    const view = new FakeLoadView([{ reportedDepth: 1 }, { reportedDepth: 1 }])
    const strategy = loadInterpretation.create({}, { random: seededRandom(3) })
    const counts = [0, 0]
    for (let k = 0; k < 2000; k++) counts[strategy.pick(view, {})]!++
    expect(misfit(counts, [1, 1])).toBeLessThan(1)
  })

  test('reports that come without any task between them are fresh: the least deep wins', () => {
    const view = new FakeLoadView([{ reportedDepth: 5 }, { reportedDepth: 3 }, { candidate: false }])
    const strategy = loadInterpretation.create({}, { random: seededRandom(3) })
    for (let index = 0; index < 2; index++) view.set(index, { candidate: false })
    for (const reportAgeMs of [9, 1, 0]) {
      for (let index = 0; index < 3; index++) view.set(index, { reportAgeMs })
      expect(strategy.pick(view, {})).toBe(-1)
    }
    for (let index = 0; index < 2; index++) view.set(index, { candidate: true })
    expect(strategy.pick(view, {})).toBe(1)
  })
})

/** Runs `periods` report periods of `perPeriod` picks; reports come together, or each at its own moment. */
function observedOver(
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
    expect(observedOver(new ArrivalEstimate(), new FakeLoadView(5), 40, 20, together)).toBeCloseTo(40, 6)
  })

  test('follows a rate that changes, within a few periods', () => {
    const estimate = new ArrivalEstimate()
    const view = new FakeLoadView(10)
    observedOver(estimate, view, 100, 5, false)
    expect(observedOver(estimate, view, 20, 6, false)).toBeLessThan(22)
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

describe('waterLevel', () => {
  test('pours the arrivals over the lowest queues only', () => {
    expect(waterLevel([0, 4, 10], 3, 2)).toBe(2)
    expect(waterLevel([0, 4, 10], 3, 6)).toBe(5)
    expect(waterLevel([0, 4, 10], 3, 16)).toBe(10)
    expect(waterLevel([0, 4, 10], 3, 31)).toBe(15)
  })

  test('without arrivals it lies at the lowest queue', () => {
    expect(waterLevel([7, 3, 3, 9], 4, 0)).toBe(3)
  })

  test('looks at the first count queues only', () => {
    expect(waterLevel([5, 0], 1, 1)).toBe(6)
  })

  test('the room below the level is what arrives', () => {
    const depths = fc.array(fc.nat(50), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(depths, fc.double({ min: 0, max: 500, noNaN: true }), (list, arrivals) => {
        const level = waterLevel(list, list.length, arrivals)
        const room = list.reduce((sum, depth) => sum + Math.max(0, level - depth), 0)
        expect(Math.abs(room - arrivals)).toBeLessThan(1e-9 * (1 + arrivals))
      }),
    )
  })
})
