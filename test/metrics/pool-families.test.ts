import { expect, test } from 'vitest'
import { VERSION } from '../../src/base/version.js'
import { EventTally } from '../../src/metrics/event-tally.js'
import { BoundedLabels, FamilyMaker } from '../../src/metrics/exposition.js'
import { buildInfo, poolFamilies } from '../../src/metrics/pool-families.js'
import { FakeClock } from '../support/fake-clock.js'
import { countsOf, FakeObservedPool, snapshotWith, workerOf } from './observed.js'

const NONE = { p50: 0, p90: 0, p99: 0 }

function familiesOf(values: Parameters<typeof snapshotWith>[0], priorities = new BoundedLabels(3, ['0'])) {
  const tally = new EventTally(new FakeObservedPool(), new FakeClock())
  const families = poolFamilies(new FamilyMaker('p'), {
    snapshot: snapshotWith(values),
    durations: { wait: countsOf([1, 1, 0], 5_000), run: countsOf([2, 0, 0]), start: countsOf([0, 1, 1]) },
    recent: { waitMs: { p50: 1, p90: 20, p99: 300 }, runMs: NONE },
    tally,
    mainLag: { mean: 1, p99: 2, max: 30 },
    priorities,
  })
  return (name: string, label?: string) =>
    Object.fromEntries(
      families
        .filter((family) => family.name === `evenkeel_${name}`)
        .flatMap(({ samples }) => samples.map(({ labels, value }) => [label ? labels[label] : 'all', value])),
    )
}

test('tasks that wait are told by priority; a priority keeps its series, and the rest shares one', () => {
  const priorities = new BoundedLabels(3, ['0'])
  const queued = [
    { priority: 5, tasks: 2 },
    { priority: 0, tasks: 7 },
    { priority: -1, tasks: 1 },
    { priority: 9, tasks: 3 },
    { priority: 10, tasks: 4 },
  ]
  const before = familiesOf({ queuedByPriority: queued, delayed: 6, gated: 8 }, priorities)
  expect(before('tasks_queued', 'priority')).toEqual({ '0': 7, '5': 2, '-1': 1, other: 7 })
  expect([before('tasks_delayed'), before('tasks_gated')]).toEqual([{ all: 6 }, { all: 8 }])
  const after = familiesOf({ queuedByPriority: [{ priority: -1, tasks: 4 }] }, priorities)
  expect(after('tasks_queued', 'priority')).toEqual({ '0': 0, '5': 0, '-1': 4 })
})

test('back-pressure tells refusals from waits that became too long', () => {
  expect(familiesOf({ queueFull: 3, queueTimeouts: 4 })('backpressure_rejections_total', 'reason')).toEqual({
    queue_full: 3,
    queue_timeout: 4,
  })
})

test('every state of a worker has a number, also when no worker is in it', () => {
  const workers = [workerOf(0), workerOf(1, { state: 'stalled' }), workerOf(2, { state: 'stalled' })]
  const drained = { slot: 0, threadId: 4, outstanding: 1, oldestRunningMs: 0, heapUsedBytes: 0 }
  const of = familiesOf({ workers, draining: [drained], workersMin: 1, workersMax: 3 })
  expect(of('workers', 'state')).toEqual({
    starting: 0,
    idle: 1,
    busy: 0,
    suspect: 0,
    stalled: 2,
    ejected: 0,
    draining: 1,
    dead: 0,
  })
  expect([of('workers_max'), of('workers_min'), of('worker_starts_total')]).toEqual([
    { all: 3 },
    { all: 1 },
    { all: 3 },
  ])
})

test('times are seconds', () => {
  const of = familiesOf({ oldestQueuedMs: 1_500 })
  expect(of('queue_oldest_age_seconds')).toEqual({ all: 1.5 })
  expect(of('task_wait_recent_seconds', 'quantile')).toEqual({ '0.5': 0.001, '0.9': 0.02, '0.99': 0.3 })
  expect(of('main_eventloop_lag_seconds', 'stat')).toEqual({ mean: 0.001, p99: 0.002, max: 0.03 })
})

test('starts of threads are a histogram', () => {
  expect(familiesOf({})('worker_start_seconds', 'le')).toMatchObject({ '0.01': 1, '+Inf': 2 })
})

test('the version told is that of the package, beside that of Node', () => {
  expect(buildInfo(new FamilyMaker('p')).samples).toEqual([
    { suffix: '', labels: { pool: 'p', version: VERSION, node: process.versions.node }, value: 1 },
  ])
})
