import { describe, expect, test } from 'vitest'
import { EventLog } from '../../src/dashboard/event-log.js'
import { livenessOf, PoolState, readinessOf, STUCK_MS } from '../../src/dashboard/pool-state.js'
import type { WorkerSnapshot } from '../../src/dispatcher/snapshot.js'
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

describe('health', () => {
  const workersIn = (...states: WorkerSnapshot['state'][]) => states.map((state, slot) => workerOf(slot, { state }))

  describe('liveness', () => {
    test('is lost only when work has waited for long while no worker could take it', () => {
      const workers = workersIn('stalled', 'stalled', 'dead')
      expect(livenessOf(snapshotWith({ workers }))).toEqual({ status: 'ok', workers: 2, stalled: 2, stuckMs: 0 })
      expect(livenessOf(snapshotWith({ workers, stuckMs: STUCK_MS })).status).toBe('ok')
      expect(livenessOf(snapshotWith({ workers, stuckMs: STUCK_MS + 1 })).status).toBe('stuck')
      expect(livenessOf(snapshotWith({ workers, stuckMs: 200 }), 100).status).toBe('stuck')
    })
  })

  describe('readiness', () => {
    test.each<[states: WorkerSnapshot['state'][], workersMin: number, hasRoom: boolean, status: string]>([
      [['idle', 'busy'], 2, true, 'ready'],
      [['suspect', 'stalled'], 2, true, 'ready'],
      [['idle', 'starting'], 2, false, 'full'],
      [['starting', 'starting'], 2, true, 'starting'],
      [['draining', 'dead'], 1, true, 'starting'],
      [['stalled', 'dead'], 1, true, 'stalled'],
      [['stalled', 'starting'], 1, true, 'stalled'],
      [['dead', 'dead'], 1, true, 'starting'],
      [['dead', 'dead'], 0, true, 'ready'],
      [['dead', 'dead'], 0, false, 'full'],
      [['starting', 'dead'], 0, true, 'starting'],
    ])('workers that are %j, at least %i, room: %j makes it %s', (states, workersMin, hasRoom, status) => {
      const snapshot = snapshotWith({ workers: workersIn(...states), workersMin, hasRoom })
      expect(readinessOf(snapshot).status).toBe(status)
    })
  })
})
