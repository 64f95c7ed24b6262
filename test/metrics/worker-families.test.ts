import { expect, test } from 'vitest'
import { EventTally } from '../../src/metrics/event-tally.js'
import { FamilyMaker } from '../../src/metrics/metric-family.js'
import { workerFamilies } from '../../src/metrics/worker-families.js'
import { FakeClock } from '../support/fake-clock.js'
import { FakeObservedPool, snapshotWith, workerOf } from './observed.js'

test('each worker has a number of each metric under its slot, never its thread', () => {
  const clock = new FakeClock()
  const pool = new FakeObservedPool()
  const tally = new EventTally(pool, clock)
  pool.emit('stall', { slot: 1, threadId: 101, task: undefined, runningMs: 0, silentMs: 260 })
  clock.advance(2_000)
  const workers = [
    workerOf(0, { load: 12, share: 0.9 }),
    workerOf(1, { load: 100, share: 0.1, lagMs: 2_260, heapUsedBytes: 5e6 }),
  ]
  const snapshot = snapshotWith({ workers, strategy: 'least-loaded' })
  const families = workerFamilies(new FamilyMaker('p'), snapshot, tally, ({ slot }) => slot / 4)
  const valuesOf = (name: string) => families.find((family) => family.name === `evenkeel_worker_${name}`)!.samples

  for (const { samples } of families) expect(samples.map(({ labels }) => labels.worker)).toEqual(['0', '1'])
  expect(JSON.stringify(families)).not.toContain('101')
  expect(valuesOf('load').map(({ value }) => value)).toEqual([12, 100])
  expect(valuesOf('weight_ratio').map(({ value }) => value)).toEqual([0.9, 0.1])
  expect(valuesOf('eventloop_lag_seconds').map(({ value }) => value)).toEqual([0, 2.26])
  expect(valuesOf('eventloop_utilization_ratio').map(({ value }) => value)).toEqual([0, 0.25])
  expect(valuesOf('heap_used_bytes').map(({ value }) => value)).toEqual([0, 5e6])
  expect(valuesOf('stall_seconds_total').map(({ value }) => value)).toEqual([0, 2])
  const picks = families.find(({ name }) => name === 'evenkeel_dispatch_total')!.samples
  expect(picks[1]!.labels).toEqual({ pool: 'p', worker: '1', strategy: 'least-loaded' })
})
