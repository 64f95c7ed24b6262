/** Arrivals and run times have the rates and shapes they are asked for. Seeds are fixed, tolerances several deviations. */

import { describe, expect, test } from 'vitest'
import { type ArrivalSpec, arrivalSource } from '../../../bench/sim/arrivals.js'
import { meanServiceMs, type ServiceSpec, serviceSource } from '../../../bench/sim/service-times.js'
import { seededRandom } from '../../../src/base/random.js'
import { off } from './play.js'

const DRAWS = 200_000

function arrivals(spec: ArrivalSpec, perMs: number): { rate: number; variation: number; meanSize: number } {
  const source = arrivalSource(spec, perMs, seededRandom(1))
  let elapsedMs = 0
  let squares = 0
  let tasks = 0
  for (let i = 0; i < DRAWS; i++) {
    const gapMs = source.gapMs()
    elapsedMs += gapMs
    squares += gapMs * gapMs
    tasks += source.size()
  }
  const mean = elapsedMs / DRAWS
  return { rate: tasks / elapsedMs, variation: squares / DRAWS / mean ** 2 - 1, meanSize: tasks / DRAWS }
}

describe('arrivals', () => {
  test('constant ones come at equal gaps', () => {
    const { rate, variation } = arrivals({ kind: 'constant' }, 4)
    expect(rate).toBeCloseTo(4, 6)
    expect(variation).toBeCloseTo(0, 6)
  })

  test('Poisson gaps have squared variation 1', () => {
    const { rate, variation } = arrivals({ kind: 'poisson' }, 4)
    expect(off(rate, 4)).toBeLessThan(0.01)
    expect(off(variation, 1)).toBeLessThan(0.03)
  })

  test('batches have the mean size asked for and keep the rate', () => {
    const { rate, meanSize } = arrivals({ kind: 'batched', meanSize: 20 }, 4)
    expect(off(meanSize, 20)).toBeLessThan(0.01)
    expect(off(rate, 4)).toBeLessThan(0.02)
  })

  test('a batch of mean 1 is always one task', () => {
    expect(arrivals({ kind: 'batched', meanSize: 1 }, 4).meanSize).toBe(1)
  })

  test('bursts keep the rate and scatter more than Poisson', () => {
    const { rate, variation } = arrivals({ kind: 'bursty', onMs: 10, offMs: 30 }, 4)
    expect(off(rate, 4)).toBeLessThan(0.04)
    expect(variation).toBeGreaterThan(5)
  })
})

describe('run times', () => {
  function moments(spec: ServiceSpec): { mean: number; variation: number; least: number } {
    const draw = serviceSource(spec, seededRandom(2))
    let sum = 0
    let squares = 0
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < DRAWS; i++) {
      const runMs = draw()
      sum += runMs
      squares += runMs * runMs
      least = Math.min(least, runMs)
    }
    const mean = sum / DRAWS
    return { mean, variation: squares / DRAWS / mean ** 2 - 1, least }
  }

  test('exponential ones have squared variation 1', () => {
    const { mean, variation } = moments({ kind: 'exponential', meanMs: 3 })
    expect(off(mean, 3)).toBeLessThan(0.01)
    expect(off(variation, 1)).toBeLessThan(0.03)
  })

  test('one in ten of 5.5 among 0.5 has mean 1 and squared variation 2.25', () => {
    const spec: ServiceSpec = { kind: 'bimodal', shortMs: 0.5, longMs: 5.5, longShare: 0.1 }
    expect(meanServiceMs(spec)).toBeCloseTo(1, 12)
    const { mean, variation } = moments(spec)
    expect(off(mean, 1)).toBeLessThan(0.02)
    expect(off(variation, 2.25)).toBeLessThan(0.03)
  })

  test('Pareto ones have the mean and the least value of their exponent', () => {
    // At exponent 3 the variance is finite, 3/4 of the mean squared over 1 * 3, so 200,000 draws fix the mean.
    const { mean, least } = moments({ kind: 'pareto', meanMs: 1, alpha: 3 })
    expect(off(mean, 1)).toBeLessThan(0.01)
    expect(least).toBeGreaterThanOrEqual(2 / 3)
    expect(off(least, 2 / 3)).toBeLessThan(0.001)
  })

  test('fixed ones never differ', () => {
    expect(moments({ kind: 'fixed', meanMs: 0.25 })).toMatchObject({ mean: 0.25, least: 0.25 })
  })
})
