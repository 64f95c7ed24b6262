import { expect, test } from 'vitest'
import { healthOf } from '../../src/dashboard/pool-health.js'
import type { WorkerSnapshot } from '../../src/dispatcher/snapshot.js'
import { snapshotWith, workerOf } from '../metrics/observed.js'

test.each<[states: WorkerSnapshot['state'][], status: 'ok' | 'stalled']>([
  [['idle', 'busy'], 'ok'],
  [['stalled', 'busy'], 'ok'],
  [['stalled', 'stalled'], 'stalled'],
  [['stalled', 'dead'], 'stalled'],
  [['stalled', 'starting'], 'ok'],
  [['dead', 'dead'], 'ok'],
  [[], 'ok'],
])('workers that are %j make the pool %s', (states, status) => {
  const snapshot = snapshotWith({ workers: states.map((state, slot) => workerOf(slot, { state })) })
  expect(healthOf(snapshot).status).toBe(status)
})
