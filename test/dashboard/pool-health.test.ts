import { describe, expect, test } from 'vitest'
import { livenessOf, readinessOf, STUCK_MS } from '../../src/dashboard/pool-health.js'
import type { WorkerSnapshot } from '../../src/dispatcher/snapshot.js'
import { snapshotWith, workerOf } from '../metrics/observed.js'

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
