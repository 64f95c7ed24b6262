import { expect, test } from 'vitest'
import { EventTally } from '../../src/metrics/event-tally.js'
import { FamilyMaker } from '../../src/metrics/metric-family.js'
import { poolFamilies } from '../../src/metrics/pool-families.js'
import { FakeClock } from '../support/fake-clock.js'
import { countsOf, FakeObservedPool, snapshotWith, workerOf } from './observed.js'

const NONE = { p50: 0, p90: 0, p99: 0 }

function familiesOf(values: Parameters<typeof snapshotWith>[0]) {
  const tally = new EventTally(new FakeObservedPool(), new FakeClock())
  const families = poolFamilies(new FamilyMaker('p'), {
    snapshot: snapshotWith(values),
    durations: { wait: countsOf([1, 1, 0], 5_000), run: countsOf([2, 0, 0]) },
    recent: { waitMs: { p50: 1, p90: 20, p99: 300 }, runMs: NONE },
    tally,
    mainLag: { mean: 1, p99: 2, max: 30 },
  })
  return (name: string, label?: string) =>
    Object.fromEntries(
      families
        .filter((family) => family.name === `evenkeel_${name}`)
        .flatMap(({ samples }) => samples.map(({ labels, value }) => [label ? labels[label] : 'all', value])),
    )
}

test('what was submitted is what settled, was refused, waits or runs', () => {
  const of = familiesOf({ completed: 10, failed: 2, rejected: 3, queued: 4, running: 5 })
  expect(of('tasks_submitted_total')).toEqual({ all: 24 })
  expect(of('tasks_completed_total', 'outcome')).toEqual({ ok: 10, error: 2, rejected: 3 })
})

test('every state of a worker has a number, also when no worker is in it', () => {
  const workers = [workerOf(0), workerOf(1, { state: 'stalled' }), workerOf(2, { state: 'stalled' })]
  const of = familiesOf({ workers })
  expect(of('workers', 'state')).toEqual({
    starting: 0,
    idle: 1,
    busy: 0,
    suspect: 0,
    stalled: 2,
    ejected: 0,
    draining: 0,
    dead: 0,
  })
  expect(of('workers_max')).toEqual({ all: 3 })
})

test('times are seconds', () => {
  const of = familiesOf({ oldestQueuedMs: 1_500 })
  expect(of('queue_oldest_age_seconds')).toEqual({ all: 1.5 })
  expect(of('task_wait_recent_seconds', 'quantile')).toEqual({ '0.5': 0.001, '0.9': 0.02, '0.99': 0.3 })
  expect(of('main_eventloop_lag_seconds', 'stat')).toEqual({ mean: 0.001, p99: 0.002, max: 0.03 })
})

test('histograms hold the counts of the pool', () => {
  expect(familiesOf({})('task_wait_seconds', 'le')).toMatchObject({ '0.01': 2, '+Inf': 2 })
})
