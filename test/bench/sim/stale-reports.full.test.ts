/**
 * The table of stale reports: ten workers at utilisation 0.9, reports every T run times, all at once. Expected values
 * are the published simulations of the theory notes (section 9.1), which this simulator did not produce.
 */

import { describe, expect, test } from 'vitest'
import type { DispatchFactory } from '../../../bench/sim/dispatch.js'
import { off, play, pool, pushed } from './play.js'

const TASKS = 150_000

/** Load interpretation learns the period from ages that fall, so "never stale" is a report every hundredth. */
const FRESH_MS = 0.01

function meanAt(dispatch: DispatchFactory, periodMs: number): number {
  return play(pool({ reports: { periodMs, synchronous: true } }), dispatch, TASKS).mean
}

const literal = pushed({ name: 'range-table', draws: 1, steepness: 1, signal: 'reported' })
const interpreted = pushed('load-interpretation')
const twoChoices = pushed('two-choices', { outstanding: 'reported' })
const leastLoaded = pushed('least-loaded')
const localShortest = pushed('least-outstanding', { outstanding: 'reported-plus-sent' })

describe('mean response under reports of age up to T', () => {
  test.each([
    ['the literal range table', literal, [3.94, 4.04, 4.44, 5.49]],
    ['least loaded', leastLoaded, [1.93, 4.18, 14.0, 25.9]],
    ['two choices', twoChoices, [2.99, 3.32, 4.41, 5.64]],
    ['shortest reported queue plus own sends', localShortest, [1.93, 2.4, 3.11, 3.51]],
  ] as const)('%s: the published values at T = 0, 1, 5, 10 within 10 %%', (_name, dispatch, expected) => {
    ;[0, 1, 5, 10].forEach((periodMs, i) => {
      expect(off(meanAt(dispatch, periodMs), expected[i]!), `T = ${periodMs}`).toBeLessThan(0.1)
    })
  })

  test('load interpretation: the published values at T = 0, 1, 5, 10, 50 within 10 %', () => {
    const expected = [1.93, 2.94, 4.31, 5.17, 7.49]
    ;[FRESH_MS, 1, 5, 10, 50].forEach((periodMs, i) => {
      expect(off(meanAt(interpreted, periodMs), expected[i]!), `T = ${periodMs}`).toBeLessThan(0.1)
    })
  })

  test('at T = 50 the literal table and least loaded have left all bounds, load interpretation has not', () => {
    const interpretation = meanAt(interpreted, 50)
    const table = meanAt(literal, 50)
    const least = meanAt(leastLoaded, 50)
    expect(off(table, 69.9)).toBeLessThan(0.15)
    expect(off(least, 125)).toBeLessThan(0.25)
    expect(table / interpretation).toBeGreaterThan(7)
    expect(least).toBeGreaterThan(table)
  })

  test('at T = 10 the order is least loaded, random, two choices, literal table, interpretation, own sends, exact', () => {
    const means = [
      meanAt(leastLoaded, 10),
      meanAt(pushed('random'), 10),
      meanAt(twoChoices, 10),
      meanAt(literal, 10),
      meanAt(interpreted, 10),
      meanAt(localShortest, 10),
      meanAt(pushed({ name: 'range-table', steepness: 1 }), 10),
      meanAt(pushed('least-outstanding'), 10),
    ]
    means.slice(1).forEach((mean, i) => {
      expect(mean, `place ${i + 2} against ${i + 1}`).toBeLessThan(means[i]!)
    })
  })

  test('reports at random phases cost the own-sends rule more than reports at once: 5.3 instead of 3.51 at T = 10', () => {
    const mean = play(pool({ reports: { periodMs: 10, synchronous: false } }), localShortest, TASKS).mean
    expect(off(mean, 5.3)).toBeLessThan(0.1)
  })
})

describe('exact counts', () => {
  test.each([
    ['one draw from the table', pushed({ name: 'range-table', draws: 1, steepness: 1 }), 3.94, 12.6],
    ['two draws from the table', pushed({ name: 'range-table', steepness: 1 }), 2.69, 9.6],
    ['two draws, steep and full at three tasks', pushed('range-table', { capacity: 3 }), 2.07, 8.2],
    ['two choices', pushed('two-choices'), 2.99, 10.5],
    ['least outstanding', pushed('least-outstanding'), 1.93, 7.9],
  ])('%s: mean and p99 within 8 %% of the published values', (_name, dispatch, expectedMean, expectedP99) => {
    const { mean, p99 } = play(pool(), dispatch, TASKS)
    expect(off(mean, expectedMean)).toBeLessThan(0.08)
    expect(off(p99, expectedP99)).toBeLessThan(0.08)
  })
})
