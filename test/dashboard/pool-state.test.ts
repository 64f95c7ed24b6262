import { expect, test } from 'vitest'
import { EventLog } from '../../src/dashboard/event-log.js'
import { PoolState } from '../../src/dashboard/pool-state.js'
import { PoolMetrics } from '../../src/metrics/metrics.js'
import { countsOf, FakeObservedPool, snapshotWith, workerOf } from '../metrics/observed.js'
import { FakeClock } from '../support/fake-clock.js'

function watch(pool: FakeObservedPool) {
  const clock = new FakeClock(5_000)
  const metrics = new PoolMetrics(pool, 'p', 8_000, undefined, clock)
  const events = new EventLog(pool, clock)
  return { state: new PoolState('thumbs', metrics, events, clock), close: () => metrics.close() }
}

test('a state is one look at the pool, with percentiles of the window', () => {
  const pool = new FakeObservedPool()
  const { state, close } = watch(pool)
  pool.counted = { wait: countsOf([0, 100, 0]), run: countsOf([100, 0, 0]), start: countsOf([0, 0, 0]) }
  pool.current = snapshotWith({
    queued: 3,
    posted: 4,
    running: 2,
    completed: 9,
    failed: 1,
    workers: [workerOf(0, { load: 7 })],
  })
  const whole = state.whole()
  expect(pool.snapshots).toBe(1)
  expect(whole).toMatchObject({
    name: 'thumbs',
    atMs: 5_000,
    queued: 3,
    posted: 4,
    running: 2,
    completed: 9,
    failed: 1,
  })
  expect(whole.workers).toEqual([workerOf(0, { load: 7 })])
  expect([whole.waitMs.p99 > 1, whole.runMs.p99 <= 1]).toEqual([true, true])
  close()
})

test('the next state brings the events since the last, a whole one all of them', () => {
  const pool = new FakeObservedPool()
  const { state, close } = watch(pool)
  const idsOf = ({ events }: { events: readonly { id: number }[] }) => events.map(({ id }) => id)
  pool.emit('overload', { workers: 1, queued: 1 })
  pool.emit('overload', { workers: 1, queued: 2 })
  expect(idsOf(state.next())).toEqual([1, 2])
  expect(idsOf(state.next())).toEqual([])
  pool.emit('underload', { workers: 1, queued: 0 })
  expect(idsOf(state.whole())).toEqual([1, 2, 3])
  expect(idsOf(state.next())).toEqual([3])
  close()
})
