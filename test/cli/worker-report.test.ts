import { expect, test } from 'vitest'
import { workerReport } from '../../src/cli/worker-report.js'

test('each worker has a row, all columns line up', () => {
  const worker = {
    slot: 0,
    threadId: 1,
    state: 'busy',
    outstanding: 3,
    depth: 3,
    load: 41.6,
    share: 0.25,
    lagMs: 1234,
    stampAgeMs: 0,
    oldestRunningMs: 62_000,
    started: 1000,
    completed: 12_345,
    failed: 0,
    takenBack: 7,
    stalls: 0,
    restarts: 0,
    starts: 1,
    heapUsedBytes: 0,
    loopActiveMs: 0,
    loopIdleMs: 0,
  } as const
  const text = workerReport({ workers: [worker, { ...worker, slot: 10, state: 'stalled' }], queued: 1234 })
  const lines = text.split('\n')
  expect(lines[1]).toMatch(/0 +busy +25% +42 +1\.2s +1m02s +3 +12,345 +0 +7$/)
  expect(new Set(lines.slice(0, 3).map(({ length }) => length)).size).toBe(1)
  expect(lines[3]).toBe('waiting for a worker: 1,234')
})
