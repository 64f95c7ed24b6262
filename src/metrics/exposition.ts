/**
 * Metrics as text, in the two formats that Prometheus reads: its own (version 0.0.4) and OpenMetrics (version 1.0.0).
 * https://prometheus.io/docs/instrumenting/exposition_formats/ and https://prometheus.io/docs/specs/om/open_metrics_spec/
 */

import type { Labels, MetricFamily } from './metric-family.js'

export type TextFormat = 'prometheus' | 'openmetrics'

export const CONTENT_TYPES: Readonly<Record<TextFormat, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

/** The format to answer an `Accept` header with: OpenMetrics only for who names it and does not refuse it. */
export function formatFor(accept: string | undefined): TextFormat {
  const accepts = (accept ?? '').split(',').map((range) => range.trim().toLowerCase())
  const named = accepts.find((range) => range.startsWith('application/openmetrics-text'))
  return named === undefined || /;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(named) ? 'prometheus' : 'openmetrics'
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '"': '\\"' }

/** The older format escapes quotes in label values alone; in help texts a reader would show the backslash. */
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
  // OpenMetrics names a counter without the ending that its samples have.
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
