import { describe, expect, test } from 'vitest'
import { bestSystem, figureMedian, judge, pairedRatios } from '../../../bench/harness/compare-systems.js'
import { madeUpScenario, madeUpSystem } from '../report/made-up-report.js'

const results = [
  madeUpScenario('one', [
    madeUpSystem('evenkeel', { p99Ms: [10, 20, null, 40] }),
    madeUpSystem('piscina a', { p99Ms: [5, 5, 5, null] }),
    madeUpSystem('piscina b', { p99Ms: [4, 4, 4, 4] }),
    madeUpSystem('piscina c', { p99Ms: [null, null, null, null] }),
  ]),
]
const place = (system: string) => ({ scenario: 'one', system, measure: 'p99Ms' })

describe('figures of systems', () => {
  test('are compared only in repetitions that are valid for both', () => {
    expect(pairedRatios(results, place('evenkeel'), place('piscina a'))).toEqual([2, 4])
    expect(pairedRatios(results, place('evenkeel'), place('nobody'))).toEqual([])
  })

  test('the best system is the one with the best median, and one without a figure never is', () => {
    const isPiscina = (label: string): boolean => label.startsWith('piscina')
    expect(bestSystem(results, 'one', 'p99Ms', 'smallest', isPiscina)).toBe('piscina b')
    expect(bestSystem(results, 'one', 'p99Ms', 'largest', isPiscina)).toBe('piscina a')
    expect(bestSystem(results, 'one', 'nothing', 'largest', isPiscina)).toBeUndefined()
  })

  test('a figure that is not there is no number', () => {
    expect(figureMedian(results, place('nobody'))).toBeNaN()
  })
})

describe('goals', () => {
  const goal = { what: 'w', bound: 'at least', reach: 15, aim: 25 } as const

  test.each([
    [[30, 24, 26], 'aim reached'],
    [[16, 20, 30], 'reached'],
    [[14, 10, 40], 'missed'],
    [[], 'not judged'],
  ] as const)('the median of %j against 15 and 25 is %s', (values, verdict) => {
    expect(judge(goal, values).verdict).toBe(verdict)
  })

  test('a bound from above is judged the other way round', () => {
    const below = { what: 'w', bound: 'at most', reach: 1.2, aim: 1 } as const
    expect(judge(below, [0.9]).verdict).toBe('aim reached')
    expect(judge(below, [1.1]).verdict).toBe('reached')
    expect(judge(below, [1.3]).verdict).toBe('missed')
  })

  test('a voided one is not judged, whatever its value, and says why', () => {
    expect(judge(goal, [30], 'no floor', true)).toMatchObject({ verdict: 'not judged', note: 'no floor', value: 30 })
  })
})
