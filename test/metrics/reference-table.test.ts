/** The names and labels that monitoring of thread pools asks for, against what a real pool tells. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { Dispatcher } from '../../src/index.js'
import { metrics } from '../../src/metrics/metrics.js'

const module = new URL('../integration/tasks.mjs', import.meta.url)

type Row = readonly [name: string, type: string, labels: string, values?: Readonly<Record<string, readonly string[]>>]

/** Type, labels beside `pool`, and the values that a label of a known set must have. */
const TABLE: readonly Row[] = [
  ['tasks_submitted_total', 'counter', 'task'],
  [
    'tasks_completed_total',
    'counter',
    'task outcome',
    { outcome: ['ok', 'error', 'timeout', 'aborted', 'crashed', 'rejected'] },
  ],
  ['task_retries_total', 'counter', 'task reason', { reason: ['worker-loss', 'thrown'] }],
  ['tasks_queued', 'gauge', 'priority', { priority: ['0'] }],
  ['tasks_posted', 'gauge', ''],
  ['tasks_running', 'gauge', ''],
  ['task_wait_seconds', 'histogram', 'task'],
  ['task_run_seconds', 'histogram', 'task'],
  ['task_total_seconds', 'histogram', 'task'],
  ['queue_oldest_age_seconds', 'gauge', ''],
  ['backpressure_rejections_total', 'counter', 'reason', { reason: ['queue_full', 'queue_timeout'] }],
  [
    'workers',
    'gauge',
    'state',
    { state: ['starting', 'idle', 'busy', 'suspect', 'stalled', 'ejected', 'draining', 'dead'] },
  ],
  ['workers_max', 'gauge', ''],
  ['workers_min', 'gauge', ''],
  ['worker_starts_total', 'counter', ''],
  [
    'worker_exits_total',
    'counter',
    'reason',
    { reason: ['idle', 'recycle', 'crash', 'oom', 'timeout', 'load', 'shutdown'] },
  ],
  ['worker_start_seconds', 'histogram', ''],
  ['worker_inflight', 'gauge', 'worker', { worker: ['0', '1'] }],
  ['worker_queue_depth', 'gauge', 'worker'],
  ['worker_load', 'gauge', 'worker'],
  ['worker_weight_ratio', 'gauge', 'worker'],
  ['worker_eventloop_lag_seconds', 'gauge', 'worker stat', { stat: ['last'] }],
  ['worker_heartbeat_age_seconds', 'gauge', 'worker'],
  ['worker_eventloop_utilization_ratio', 'gauge', 'worker'],
  ['worker_stalls_total', 'counter', 'worker'],
  ['worker_stall_seconds_total', 'counter', 'worker'],
  ['worker_heap_used_bytes', 'gauge', 'worker'],
  ['dispatch_total', 'counter', 'worker strategy', { strategy: ['range-table'] }],
  ['main_eventloop_lag_seconds', 'gauge', 'stat', { stat: ['mean', 'p99', 'max'] }],
  ['build_info', 'gauge', 'version node'],
]

/** What the table of such names has and a pool here has not, with the reason. */
const ABSENT: readonly (readonly [name: string, reason: string])[] = [
  ['dispatch_seconds_total', 'two readings of the clock would cost a task more than the choice they measure'],
  ['engine_jobs_leased', 'no durable queue feeds the pool'],
  ['engine_leases_lost_total', 'no durable queue feeds the pool'],
  ['engine_stalled_total', 'no durable queue feeds the pool'],
  ['batch_records_read_total', 'a batch ends with its process, before anybody scrapes it: its summary is JSON'],
]

let text: string
let pool: Dispatcher

beforeAll(async () => {
  pool = new Dispatcher({ module, workers: 2 })
  const watched = metrics(pool, { name: 'table' })
  await pool.run('noop', 1)
  text = watched.text()
  watched.close()
})
afterAll(() => pool.close())

/** Labels of each sample of a metric. */
function labelsOf(name: string, type: string): Record<string, string>[] {
  const sample = type === 'histogram' ? `${name}_count` : name
  const lines = text.split('\n').filter((line) => line.startsWith(`${sample}{`))
  return lines.map((line) =>
    Object.fromEntries([...line.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value])),
  )
}

for (const [name, type, labels, values = {}] of TABLE) {
  test(`${name} is a ${type} with the labels "${labels}"`, () => {
    expect(text).toContain(`# TYPE evenkeel_${name} ${type}\n`)
    const told = labelsOf(`evenkeel_${name}`, type)
    expect(told.length).toBeGreaterThan(0)
    const expected = ['pool', ...labels.split(' ')].filter((label) => label !== '')
    for (const sample of told) expect(Object.keys(sample)).toEqual(expected)
    for (const [label, known] of Object.entries(values)) {
      expect([...new Set(told.map((sample) => sample[label]))]).toEqual(known)
    }
  })
}

test.each(ABSENT)('%s is not told: %s', (name) => {
  expect(text).not.toContain(`evenkeel_${name}`)
})

test('durations have the buckets from half a millisecond to a minute', () => {
  const limits = [...text.matchAll(/evenkeel_task_wait_seconds_bucket\{pool="table",task="noop",le="([^"]+)"\}/g)]
  expect(limits.map(([, limit]) => limit).join(' ')).toBe(
    '0.0005 0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 30 60 +Inf',
  )
})

test('no label is a thread, a task that ran, or anything else without end', () => {
  const labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, label]) => label))
  expect([...labels].sort()).toEqual([
    'direction',
    'le',
    'node',
    'outcome',
    'pool',
    'priority',
    'quantile',
    'reason',
    'stat',
    'state',
    'strategy',
    'task',
    'version',
    'worker',
  ])
})
