import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/random.js'
import { loadInterpretation } from '../../../src/selection/strategies/load-interpretation.js'
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
