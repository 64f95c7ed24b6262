import { expect, test } from 'vitest'
import { type RunState, runReport, runReportJson, workerReport } from '../../src/cli/run-report.js'

const state: RunState = {
  progress: {
    ok: 12,
    failed: 1,
    skipped: 0,
    retried: 0,
    unfinished: 0,
    resumed: 0,
    posted: 2,
    elapsedMs: 4000,
    readBytes: 50,
    resumedBytes: 0,
    totalBytes: 100,
    totalRecords: undefined,
    mostRecords: undefined,
    heldBy: undefined,
  },
  pool: { workers: [], queued: 3 },
  slowest: [
    { input: 'people.jsonl', line: 7, ageMs: 3200 },
    { input: 'people.jsonl', line: 9, ageMs: 400 },
  ],
}

test('says how far the run is, what the workers do, and which records are longest under way', () => {
  const lines = runReport(state).split('\n')
  expect(lines[0]).toBe('50%, 12 ok, 1 failed, 3.3/s, ETA 4.0s, after 4.0s')
  expect(lines[1]).toMatch(/^worker +state +share/)
  expect(lines.slice(2)).toEqual([
    'waiting for a worker: 3',
    'longest under way: people.jsonl:7 (3.2s), people.jsonl:9 (400ms)',
  ])
})

test('says so when nothing is under way', () => {
  expect(runReport({ ...state, slowest: [] })).toMatch(/\nno record is under way$/)
})

test('is one line of JSON on request, with the same figures', () => {
  const line = runReportJson(state)
  expect(line).not.toContain('\n')
  expect(JSON.parse(line)).toMatchObject({
    type: 'report',
    ok: 12,
    posted: 2,
    queued: 3,
    workers: [],
    slowest: state.slowest,
  })
})

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
