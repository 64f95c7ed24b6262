import { describe, expect, test } from 'vitest'
import { CONTENT_TYPES, formatFor, writeText } from '../../src/metrics/exposition.js'
import type { MetricFamily } from '../../src/metrics/metric-family.js'

const counter: MetricFamily = {
  name: 'evenkeel_tasks_total',
  help: 'Tasks "done".\nA\\B',
  type: 'counter',
  samples: [
    { suffix: '', labels: { pool: 'a"b\\c\nd' }, value: 3 },
    { suffix: '', labels: {}, value: Number.POSITIVE_INFINITY },
  ],
}

describe('text', () => {
  test('of Prometheus: escaped help without escaped quotes, escaped labels', () => {
    expect(writeText([counter], 'prometheus')).toBe(
      '# HELP evenkeel_tasks_total Tasks "done".\\nA\\\\B\n# TYPE evenkeel_tasks_total counter\n' +
        'evenkeel_tasks_total{pool="a\\"b\\\\c\\nd"} 3\nevenkeel_tasks_total +Inf\n',
    )
  })

  test('of OpenMetrics: counters are headed without their ending, and the end is marked', () => {
    const text = writeText([counter], 'openmetrics')
    expect(text).toContain('# TYPE evenkeel_tasks counter\nevenkeel_tasks_total{')
    expect(text).toContain('Tasks \\"done\\"')
    expect(text.endsWith('# EOF\n')).toBe(true)
  })

  test('of numbers that are no numbers', () => {
    const samples = [Number.NaN, Number.NEGATIVE_INFINITY, 1e21, 0.25].map((value) => ({
      suffix: '',
      labels: {},
      value,
    }))
    const text = writeText([{ name: 'a', help: '', type: 'gauge', samples }], 'prometheus')
    expect(text.split('\n').slice(2, -1)).toEqual(['a NaN', 'a -Inf', 'a 1e+21', 'a 0.25'])
  })
})

describe('format', () => {
  test.each([
    [undefined, 'prometheus'],
    ['*/*', 'prometheus'],
    ['text/html', 'prometheus'],
    ['application/openmetrics-text;version=1.0.0;q=0.75,text/plain;version=0.0.4;q=0.5', 'openmetrics'],
    ['text/plain, Application/OpenMetrics-Text; version=1.0.0', 'openmetrics'],
    ['application/openmetrics-text;q=0, text/plain', 'prometheus'],
    ['application/openmetrics-text;q=0.0;version=1.0.0', 'prometheus'],
  ])('of Accept: %s is %s', (accept, format) => expect(formatFor(accept)).toBe(format))

  test('has a content type with its version', () => {
    expect(CONTENT_TYPES.prometheus).toContain('version=0.0.4')
    expect(CONTENT_TYPES.openmetrics).toContain('version=1.0.0')
  })
})
