import { expect, test } from 'vitest'
import { FamilyMaker } from '../../src/metrics/metric-family.js'
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
