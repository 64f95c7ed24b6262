/**
 * Simulated figures against closed forms. Seeds are fixed, so a run passes or fails for good; the tolerances are those
 * that the theory notes set for these anchors, and the task counts are such that chance stays well inside them.
 */

import { describe, expect, test } from 'vitest'
import { centralDispatch } from '../../../bench/sim/dispatch-central.js'
import {
  erlangC,
  multiServerMean,
  multiServerQuantile,
  roundRobinMean,
  roundRobinQuantile,
  singleServerMean,
  supermarketMean,
} from './closed-forms.js'
import { off, play, pool, pushed } from './play.js'

describe('the formulas', () => {
  test('give the tabulated values', () => {
    expect(erlangC(10, 0.8)).toBeCloseTo(0.4092, 4)
    expect(erlangC(10, 0.9)).toBeCloseTo(0.6687, 4)
    expect(multiServerMean(1, 0.9)).toBeCloseTo(10, 9)
    expect(multiServerMean(10, 0.9)).toBeCloseTo(1.6687, 4)
    expect(multiServerMean(100, 0.9)).toBeCloseTo(1.0217, 4)
    expect(multiServerQuantile(1, 0.9, 0.99)).toBeCloseTo(46.052, 3)
    expect(multiServerQuantile(10, 0.5, 0.99)).toBeCloseTo(4.614, 3)
    expect(multiServerQuantile(10, 0.9, 0.99)).toBeCloseTo(6.25, 3)
    expect(supermarketMean(2, 0.9)).toBeCloseTo(2.6141, 4)
    expect(supermarketMean(2, 0.5)).toBeCloseTo(1.2657, 4)
    expect(singleServerMean(0.8, 2.25)).toBeCloseTo(7.5, 9)
    expect(roundRobinMean(10, 0.9)).toBeCloseTo(5.6603, 4)
    expect(roundRobinQuantile(10, 0.9, 0.99)).toBeCloseTo(26.07, 2)
  })
})

describe('M/M/1', () => {
  test.each([
    [0.5, 200_000, 1, 0.02, 0.03],
    [0.8, 400_000, 2, 0.04, 0.06],
  ])('at utilisation %s has the exact mean and p99', (utilisation, tasks, seeds, meanOff, p99Off) => {
    const { mean, p99 } = play(pool({ workers: 1, utilisation }), centralDispatch(), tasks, seeds)
    expect(off(mean, multiServerMean(1, utilisation))).toBeLessThan(meanOff)
    expect(off(p99, multiServerQuantile(1, utilisation, 0.99))).toBeLessThan(p99Off)
  })

  test('random dispatch splits Poisson arrivals, so ten workers are ten M/M/1 queues', () => {
    const { mean, p99 } = play(pool({ utilisation: 0.8 }), pushed('random'), 300_000)
    expect(off(mean, multiServerMean(1, 0.8))).toBeLessThan(0.04)
    expect(off(p99, multiServerQuantile(1, 0.8, 0.99))).toBeLessThan(0.06)
  })
})

describe('M/M/n, one central queue', () => {
  test.each([0.5, 0.8, 0.9])('ten workers at utilisation %s: mean within 0.03, p99 within 0.06', (utilisation) => {
    const { mean, p99 } = play(pool({ utilisation }), centralDispatch(), 300_000, 2)
    expect(off(mean, multiServerMean(10, utilisation))).toBeLessThan(0.03)
    expect(off(p99, multiServerQuantile(10, utilisation, 0.99))).toBeLessThan(0.06)
  })

  test('a hundred workers at 0.9: mean within 1 %', () => {
    const { mean } = play(pool({ workers: 100 }), centralDispatch(), 200_000)
    expect(off(mean, multiServerMean(100, 0.9))).toBeLessThan(0.01)
  })
})

describe('two choices of a hundred workers, the supermarket model', () => {
  test.each([
    [0.5, 0.98, 1.02],
    [0.7, 0.98, 1.02],
    [0.9, 0.99, 1.04],
  ])('at utilisation %s the mean lies between %s and %s of the limit', (utilisation, least, most) => {
    const { mean } = play(pool({ workers: 100, utilisation }), pushed('two-choices'), 300_000)
    const ratio = mean / supermarketMean(2, utilisation)
    expect(ratio).toBeGreaterThan(least)
    expect(ratio).toBeLessThan(most)
  })
})

describe('Pollaczek-Khinchine, bimodal run times', () => {
  test('random dispatch at utilisation 0.8: mean within 4 % of 7.5', () => {
    const service = { kind: 'bimodal', shortMs: 0.5, longMs: 5.5, longShare: 0.1 } as const
    const { mean } = play(pool({ utilisation: 0.8, service }), pushed('random'), 300_000)
    expect(off(mean, singleServerMean(0.8, 2.25))).toBeLessThan(0.04)
  })

  test('fixed run times wait half as long as exponential ones', () => {
    const { mean } = play(
      pool({ workers: 1, utilisation: 0.8, service: { kind: 'fixed', meanMs: 1 } }),
      centralDispatch(),
      300_000,
    )
    expect(off(mean, singleServerMean(0.8, 0))).toBeLessThan(0.03)
  })
})

describe('round robin, E10/M/1', () => {
  test('at utilisation 0.9: mean within 4 %, p99 within 8 %', () => {
    const { mean, p99 } = play(pool(), pushed('round-robin'), 300_000, 2)
    expect(off(mean, roundRobinMean(10, 0.9))).toBeLessThan(0.04)
    expect(off(p99, roundRobinQuantile(10, 0.9, 0.99))).toBeLessThan(0.08)
  })
})
