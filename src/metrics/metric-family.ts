/** Metrics as plain data, before anyone decides how they are written. */

import { countsUpTo, type DurationCounts, totalCount } from './duration-counts.js'

/** Label values by label name. */
export type Labels = Readonly<Record<string, string>>

/** One number of a metric. */
export interface Sample {
  /** What follows the metric's name, such as `_bucket`. */
  readonly suffix: string
  readonly labels: Labels
  readonly value: number
}

/** A metric with all its numbers at one moment. The name of a counter ends in `_total`. */
export interface MetricFamily {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

/** A number, with labels of its own or none. */
export type Reading = number | readonly [labels: Labels, value: number]

/** Upper limits of the buckets of a histogram, seconds: from half a millisecond to a minute. */
const LIMITS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Makes the metrics of one pool: every sample bears the pool's name. */
export class FamilyMaker {
  readonly #common: Labels

  constructor(poolName: string) {
    this.#common = { pool: poolName }
  }

  counter(name: string, help: string, readings: readonly Reading[]): MetricFamily {
    return { name: `evenkeel_${name}`, help, type: 'counter', samples: this.#samples(readings) }
  }

  gauge(name: string, help: string, readings: readonly Reading[]): MetricFamily {
    return { name: `evenkeel_${name}`, help, type: 'gauge', samples: this.#samples(readings) }
  }

  /** One set of buckets for each set of labels. */
  histogram(name: string, help: string, readings: readonly (readonly [Labels, DurationCounts])[]): MetricFamily {
    const samples = readings.flatMap(([labels, durations]) => this.#buckets({ ...this.#common, ...labels }, durations))
    return { name: `evenkeel_${name}`, help, type: 'histogram', samples }
  }

  #buckets(labels: Labels, durations: DurationCounts): Sample[] {
    const total = totalCount(durations)
    const bucket = (le: string, value: number): Sample => ({ suffix: '_bucket', labels: { ...labels, le }, value })
    return [
      ...countsUpTo(durations, LIMITS_SECONDS).map((value, index) => bucket(String(LIMITS_SECONDS[index]), value)),
      bucket('+Inf', total),
      { suffix: '_sum', labels, value: durations.sumUs / 1e6 },
      { suffix: '_count', labels, value: total },
    ]
  }

  #samples(readings: readonly Reading[]): Sample[] {
    return readings.map((reading) => {
      const [labels, value] = typeof reading === 'number' ? [{}, reading] : reading
      return { suffix: '', labels: { ...this.#common, ...labels }, value }
    })
  }
}
