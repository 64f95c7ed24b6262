import { describe, expect, test } from 'vitest'
import { arrivalsOf, drawRunMs } from '../../../bench/scenarios/arrivals.js'
import { liveScenarios } from '../../../bench/scenarios/catalogue.js'
import { type LiveScenario, meanOfMix, meanRunMs, type RunTimes } from '../../../bench/scenarios/live-scenario.js'
import { mean } from '../../../bench/stats/quantiles.js'
import { seededRandom } from '../../../src/base/random.js'

const plain: LiveScenario = {
  name: 'plain',
  title: 'plain',
  workers: 4,
  load: 0.5,
  arrivals: { kind: 'poisson' },
  mix: [{ share: 1, work: 'parked', runTimes: { kind: 'fixed', ms: 1 } }],
  warm: true,
  warmUpMs: 0,
  measuredMs: 20_000,
}
const counted = (scenario: LiveScenario, fromMs: number, toMs: number): number =>
  arrivalsOf(scenario, seededRandom(5)).filter(({ atMs }) => atMs >= fromMs && atMs < toMs).length

describe('arrivals', () => {
  test('are the same for the same seed', () => {
    expect(arrivalsOf(plain, seededRandom(1))).toEqual(arrivalsOf(plain, seededRandom(1)))
    expect(arrivalsOf(plain, seededRandom(1))).not.toEqual(arrivalsOf(plain, seededRandom(2)))
  })

  test('fill the part of the workers that the load says', () => {
    // 2,000 a second for 20 s; the deviation of 40,000 Poisson arrivals is 200.
    expect(Math.abs(counted(plain, 0, 20_000) - 40_000)).toBeLessThan(1_000)
    expect(counted({ ...plain, arrivals: { kind: 'constant' } }, 0, 20_000)).toBeGreaterThan(39_990)
  })

  test('come only while a burst is on, and then as fast as makes up for the rest', () => {
    const bursts = { ...plain, arrivals: { kind: 'bursty', onMs: 100, offMs: 300 } } as const
    const list = arrivalsOf(bursts, seededRandom(5))
    expect(list.every(({ atMs }) => atMs % 400 < 100)).toBe(true)
    expect(Math.abs(list.length - 40_000)).toBeLessThan(1_000)
  })

  test('grow on a ramp', () => {
    const ramp = { ...plain, arrivals: { kind: 'ramp', toLoad: 1.5 } } as const
    const first = counted(ramp, 0, 5_000)
    const last = counted(ramp, 15_000, 20_000)
    // Loads of 0.625 and 1.375 on average.
    expect(last / first).toBeGreaterThan(2)
    expect(last / first).toBeLessThan(2.4)
  })

  test('the parts of a mix have their shares', () => {
    const mix = [
      { share: 0.8, work: 'parked', runTimes: { kind: 'fixed', ms: 1 } },
      { share: 0.2, work: 'busy', runTimes: { kind: 'fixed', ms: 6 } },
    ] as const
    expect(meanOfMix(mix)).toBeCloseTo(2)
    const list = arrivalsOf({ ...plain, mix }, seededRandom(5))
    const long = list.filter(({ part }) => part.work === 'busy').length / list.length
    expect(long).toBeGreaterThan(0.18)
    expect(long).toBeLessThan(0.22)
  })
})

describe('run times', () => {
  test.each<[RunTimes, number]>([
    [{ kind: 'fixed', ms: 3 }, 0],
    [{ kind: 'exponential', meanMs: 5 }, 0.02],
    [{ kind: 'pareto', alpha: 1.5, minMs: 1, maxMs: 200 }, 0.05],
  ])('of %j have the mean that the rate is computed from', (runTimes, tolerance) => {
    const random = seededRandom(11)
    const draws = Array.from({ length: 200_000 }, () => drawRunMs(runTimes, random))
    expect(Math.abs(mean(draws) / meanRunMs(runTimes) - 1)).toBeLessThanOrEqual(tolerance)
  })
})

describe('catalogue of live scenarios', () => {
  test('is plain data with unique names', () => {
    expect(JSON.parse(JSON.stringify(liveScenarios))).toEqual(liveScenarios)
    expect(new Set(liveScenarios.map(({ name }) => name)).size).toBe(liveScenarios.length)
  })

  test.each(liveScenarios.map((scenario) => [scenario.name, scenario] as const))(
    '%s has shares that sum to 1',
    (_, scenario) => {
      expect(scenario.mix.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1)
    },
  )
})
