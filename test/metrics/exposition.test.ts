import { describe, expect, test } from 'vitest'
import {
  BoundedLabels,
  CONTENT_TYPES,
  FamilyMaker,
  formatFor,
  type MetricFamily,
  writeText,
} from '../../src/metrics/exposition.js'
import { countsOf } from './observed.js'

const make = new FamilyMaker('thumbs')

test('every sample bears the name of the pool beside labels of its own', () => {
  const family = make.counter('tasks_total', 'Tasks.', [7, [{ outcome: 'ok' }, 5]])
  expect(family).toEqual({
    name: 'evenkeel_tasks_total',
    help: 'Tasks.',
    type: 'counter',
    samples: [
      { suffix: '', labels: { pool: 'thumbs' }, value: 7 },
      { suffix: '', labels: { pool: 'thumbs', outcome: 'ok' }, value: 5 },
    ],
  })
  expect(make.gauge('load', 'Load.', [1])).toMatchObject({ name: 'evenkeel_load', type: 'gauge' })
})

test('a histogram has rising buckets, of which the last holds all, a sum and a count', () => {
  const { samples, type } = make.histogram('wait_seconds', 'Wait.', [[{}, countsOf([2, 3, 5], 1_500_000)]])
  const buckets = samples.filter(({ suffix }) => suffix === '_bucket')
  const counts = buckets.map(({ value }) => value)
  expect(type).toBe('histogram')
  expect(counts).toEqual([...counts].sort((a, b) => a - b))
  expect(buckets.find(({ labels }) => labels.le === '0.01')?.value).toBe(5)
  expect(buckets.at(-1)).toEqual({ suffix: '_bucket', labels: { pool: 'thumbs', le: '+Inf' }, value: 10 })
  expect(samples.slice(-2).map(({ suffix, value }) => [suffix, value])).toEqual([
    ['_sum', 1.5],
    ['_count', 10],
  ])
})

test('a histogram has buckets of its own for each set of labels', () => {
  const { samples } = make.histogram('run_seconds', 'Run.', [
    [{ task: 'a' }, countsOf([1, 0, 0])],
    [{ task: 'b' }, countsOf([0, 0, 7])],
  ])
  const counts = samples.filter(({ suffix }) => suffix === '_count')
  expect(counts).toEqual([
    { suffix: '_count', labels: { pool: 'thumbs', task: 'a' }, value: 1 },
    { suffix: '_count', labels: { pool: 'thumbs', task: 'b' }, value: 7 },
  ])
})

test('the first values keep labels of their own for good, all others share one', () => {
  const labels = new BoundedLabels(3, ['0'])
  expect(['5', '7', '9', '5', '0', '9'].map((value) => labels.of(value))).toEqual([
    '5',
    '7',
    'other',
    '5',
    '0',
    'other',
  ])
  expect([...labels.known]).toEqual(['0', '5', '7'])
})

test('a value that is called other shares its label with the rest', () => {
  const labels = new BoundedLabels(1)
  expect([labels.of('other'), labels.of('a'), labels.of('b')]).toEqual(['other', 'a', 'other'])
})

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
