/** Many short tasks and a few long ones in an open loop: do the short ones wait behind the long ones? */

import { seededRandom } from '../../src/base/random.js'
import type { Probe } from '../harness/sample.js'
import { mean, quantileOfSorted, sortedCopy } from '../stats/quantiles.js'
import type { Work } from '../tasks.js'
import { poissonTimes, runOpenLoop } from './open-loop.js'
import { eachSystem, withWarmPool } from './pool.js'

export interface MixtureParameters {
  readonly longShare: number
  readonly short: Work
  readonly long: Work
  /** Share of the workers' time that the arrivals fill. */
  readonly load: number
  readonly warmUpMs: number
  readonly durationMs: number
}

/** Latencies from the scheduled time, ms; of the short tasks p50, p99 and p99.9, of all tasks the mean. */
export const probeMixture: Probe = async ({ systems, parameters, seed }) => {
  const given = parameters as unknown as MixtureParameters
  const meanMs = given.longShare * given.long.ms + (1 - given.longShare) * given.short.ms
  let generatorLateShare = 0
  const figures = await eachSystem(systems, (system) =>
    withWarmPool(system, async (pool) => {
      const random = seededRandom(seed)
      const perSecond = (given.load * system.workers * 1_000) / meanMs
      const times = poissonTimes(perSecond, given.warmUpMs + given.durationMs, random)
      const works = times.map(() => (random() < given.longShare ? given.long : given.short))
      const schedule = times.map((atMs, at) => ({ atMs, send: () => pool.run('hold', works[at]) }))
      const result = await runOpenLoop(schedule, { waitMs: 20_000 })
      generatorLateShare = result.generatorLateShare
      const counted = [...times.keys()].filter((at) => (times[at] as number) >= given.warmUpMs)
      const all = counted.map((at) => result.latencyMs[at] as number)
      const short = sortedCopy(
        counted.filter((at) => works[at] === given.short).map((at) => result.latencyMs[at] as number),
      )
      return {
        measures: {
          shortP50Ms: quantileOfSorted(short, 0.5),
          shortP99Ms: quantileOfSorted(short, 0.99),
          shortP999Ms: quantileOfSorted(short, 0.999),
          shortMeanMs: mean(short),
          meanMs: mean(all),
          tasks: all.length,
          lostTasks: times.length - result.settled + result.rejected,
        },
      }
    }),
  )
  return { systems: figures, generatorLateShare }
}
