/** Metrics as plain data, and their text in the two formats that Prometheus reads. */

import { countsUpTo, type DurationCounts, totalCount } from './duration-counts.js'

/** Label values by label name. */
export type Labels = Readonly<Record<string, string>>

/** One number of a metric. */
export interface Sample {
  /** The ending of the metric's name, such as `_bucket`. */
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

/** A number, with or without labels of its own. */
export type Reading = number | readonly [labels: Labels, value: number]

/** Upper limits of the buckets of a histogram, seconds: from half a millisecond to a minute. */
const LIMITS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Makes the metrics of one pool. Every sample has the pool's name as a label. */
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

/** The label of all values beyond the limit. */
export const OTHER = 'other'

/**
 * Limits the number of label values that users can make up: a database keeps one series for each value. The first
 * values keep their own label for good, so no series ever changes its meaning.
 */
export class BoundedLabels {
  readonly #limit: number
  readonly #known: Set<string>

  /** @param known values that have a label from the start */
  constructor(limit: number, known: readonly string[] = []) {
    this.#limit = limit
    this.#known = new Set(known)
  }

  /** The value itself, or `other`. */
  of(value: string): string {
    if (this.#known.has(value)) return value
    if (this.#known.size >= this.#limit || value === OTHER) return OTHER
    this.#known.add(value)
    return value
  }

  /** All values that have their own label so far, oldest first. */
  get known(): IterableIterator<string> {
    return this.#known.values()
  }
}

/**
 * Prometheus's own format (version 0.0.4) and OpenMetrics (version 1.0.0):
 * https://prometheus.io/docs/instrumenting/exposition_formats/ and
 * https://prometheus.io/docs/specs/om/open_metrics_spec/
 */
export type TextFormat = 'prometheus' | 'openmetrics'

export const CONTENT_TYPES: Readonly<Record<TextFormat, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

/** The format for an `Accept` header: OpenMetrics only if the header names it and does not refuse it. */
export function formatFor(accept: string | undefined): TextFormat {
  const accepts = (accept ?? '').split(',').map((range) => range.trim().toLowerCase())
  const named = accepts.find((range) => range.startsWith('application/openmetrics-text'))
  return named === undefined || /;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(named) ? 'prometheus' : 'openmetrics'
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '"': '\\"' }

/** Prometheus's format escapes quotes in label values only: in help texts a reader would show the backslash. */
function escaped(text: string, characters: RegExp): string {
  return text.replace(characters, (character) => ESCAPES[character]!)
}

function writeLabels(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value, /[\\\n"]/g)}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

function writeNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}

function writeFamily(family: MetricFamily, format: TextFormat): string {
  const { name, help, type, samples } = family
  // In OpenMetrics a counter's heading has no `_total`; its samples do.
  const heading = format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name
  const helpText = escaped(help, format === 'openmetrics' ? /[\\\n"]/g : /[\\\n]/g)
  const lines = samples.map(
    ({ suffix, labels, value }) => `${name}${suffix}${writeLabels(labels)} ${writeNumber(value)}\n`,
  )
  return `# HELP ${heading} ${helpText}\n# TYPE ${heading} ${type}\n${lines.join('')}`
}

/** All metrics as one text in the given format. */
export function writeText(families: readonly MetricFamily[], format: TextFormat): string {
  const text = families.map((family) => writeFamily(family, format)).join('')
  return format === 'openmetrics' ? `${text}# EOF\n` : text
}
