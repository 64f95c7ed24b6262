import { describe, expect, test } from 'vitest'
import { compareWithEvenkeel, mainMeasureOf } from '../../../bench/report/comparisons.js'
import { openLoops, regretTable } from '../../../bench/report/regret.js'
import { madeUpScenario, madeUpSystem } from './made-up-report.js'

const lower = { measure: 'p99Ms', betterWhen: 'lower' } as const

describe('regret', () => {
  const results = [
    madeUpScenario('calm', [madeUpSystem('a', { p99Ms: [10] }), madeUpSystem('b', { p99Ms: [20] })]),
    madeUpScenario('storm', [
      madeUpSystem('a', { p99Ms: [30] }),
      madeUpSystem('b', { p99Ms: [10] }),
      madeUpSystem('c', { p99Ms: [15] }),
    ]),
  ]

  test('is the worst ratio to the best system, with its scenario, least first', () => {
    expect(regretTable(results, 'p99Ms')).toEqual([
      { system: 'c', worst: 1.5, scenario: 'storm', scenarios: 1 },
      { system: 'b', worst: 2, scenario: 'calm', scenarios: 2 },
      { system: 'a', worst: 3, scenario: 'storm', scenarios: 2 },
    ])
  })

  test('a system that a scenario could not measure is judged by the others', () => {
    const gap = [
      ...results,
      madeUpScenario('gap', [madeUpSystem('a', { p99Ms: [null] }), madeUpSystem('b', { p99Ms: [1] })]),
    ]
    expect(regretTable(gap, 'p99Ms').find(({ system }) => system === 'a')).toMatchObject({ worst: 3, scenarios: 2 })
  })
})

describe('an open loop', () => {
  test('is a live scenario, or the own task at a given rate, and no closed loop', () => {
    const scenario = (name: string, probe: string, parameters = {}) => ({
      ...madeUpScenario(name, []),
      probe,
      parameters,
    })
    const results = [
      scenario('live', 'live'),
      scenario('own, at a rate', 'own-workload', { tasksPerSecond: 100 }),
      scenario('own, as fast as it can', 'own-workload'),
      scenario('closed', 'closed-loop'),
    ]
    expect(openLoops(results).map(({ name }) => name)).toEqual(['live', 'own, at a rate'])
  })
})

describe('comparison with evenkeel', () => {
  const own = madeUpSystem('evenkeel', { p99Ms: [10, 11, 10, 9, 10, 11, 10, 9] })

  test('shows a difference that every repetition shows', () => {
    const slow = madeUpSystem('slow', { p99Ms: [20, 22, 20, 18, 20, 22, 20, 18] })
    const fast = madeUpSystem('fast', { p99Ms: [5, 5.5, 5, 4.5, 5, 5.5, 5, 4.5] })
    const verdicts = compareWithEvenkeel(madeUpScenario('s', [own, slow, fast]), lower, 1)
    expect(verdicts.map(({ system, verdict, ratio }) => [system, verdict, ratio])).toEqual([
      ['slow', 'worse', 2],
      ['fast', 'better', 0.5],
    ])
  })

  test('leaves out repetitions that are not valid for all, and gives up below three', () => {
    const gaps = madeUpSystem('gaps', { p99Ms: [20, null, 20, 18, 20, 22, 20, 18] })
    expect(compareWithEvenkeel(madeUpScenario('s', [own, gaps]), lower, 1)).toHaveLength(1)
    const few = madeUpSystem('few', { p99Ms: [20, null, 20, null, null, null, null, null] })
    expect(compareWithEvenkeel(madeUpScenario('s', [own, few]), lower, 1)).toEqual([])
  })

  test('a system without any figure does not keep the others from being compared', () => {
    const none = madeUpSystem('none', { p99Ms: [null, null, null, null, null, null, null, null] })
    const slow = madeUpSystem('slow', { p99Ms: [20, 22, 20, 18, 20, 22, 20, 18] })
    expect(compareWithEvenkeel(madeUpScenario('s', [own, none, slow]), lower, 1).map(({ system }) => system)).toEqual([
      'slow',
    ])
  })

  test('a scenario is judged by its tail where it has one, else by its rate', () => {
    const both = madeUpScenario('s', [madeUpSystem('evenkeel', { tasksPerSecond: [1], p99Ms: [1] })])
    expect(mainMeasureOf(both)).toEqual(lower)
    const rate = madeUpScenario('s', [madeUpSystem('evenkeel', { tasksPerSecond: [1] })])
    expect(mainMeasureOf(rate)).toEqual({ measure: 'tasksPerSecond', betterWhen: 'higher' })
    expect(mainMeasureOf(madeUpScenario('s', [madeUpSystem('evenkeel', { other: [1] })]))).toBeUndefined()
  })
})
