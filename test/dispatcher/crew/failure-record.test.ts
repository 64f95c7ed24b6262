import { describe, expect, test } from 'vitest'
import { FailureRecord } from '../../../src/dispatcher/crew/failure-record.js'
import { PoolWorker } from '../../../src/dispatcher/crew/pool-worker.js'

/** The pool that each worker was made for. */
const poolOf = new WeakMap<PoolWorker, readonly PoolWorker[]>()

function workersOf(count: number): PoolWorker[] {
  const workers = Array.from({ length: count }, (_, slot) => {
    const worker = new PoolWorker(slot)
    worker.state = 'starting'
    worker.state = 'idle'
    return worker
  })
  for (const worker of workers) poolOf.set(worker, workers)
  return workers
}

const SERVICE_MS = 5

/** So many failures in a row, at once, while every other worker finishes task after task; whether it was ejected. */
function failing(record: FailureRecord, worker: PoolWorker, times: number, nowMs = 0): boolean {
  let ejected = false
  for (let time = 0; time < times; time++) {
    ejected = record.failed(worker, SERVICE_MS, 0, nowMs) || ejected
    for (const other of poolOf.get(worker)!) if (other !== worker) other.record.completed += 10
  }
  return ejected
}

describe('failures that all workers have alike', () => {
  test('cost nothing', () => {
    const workers = workersOf(3)
    const record = new FailureRecord(workers)
    for (let round = 0; round < 50; round++) {
      for (const worker of workers) {
        worker.record.failed++
        record.failed(worker, SERVICE_MS, 0, 0)
      }
    }
    expect(workers.map(({ state }) => state)).toEqual(Array(3).fill('idle'))
    // The first may have been held against it once, before the others had any to compare with.
    expect(Math.max(...workers.map(({ creditBackMs }) => creditBackMs))).toBeLessThanOrEqual(SERVICE_MS)
  })

  test('of the only worker are nobody else’s fault to compare with, and cost nothing', () => {
    const workers = workersOf(1)
    expect(failing(new FailureRecord(workers), workers[0]!, 50)).toBe(false)
    expect(workers[0]).toMatchObject({ penalised: false, state: 'idle' })
  })

  test('are not held against the one that met them first, however many came in one batch', () => {
    const workers = workersOf(2)
    const record = new FailureRecord(workers)
    for (let time = 0; time < 64; time++) {
      workers[0]!.record.failed++
      expect(record.failed(workers[0]!, SERVICE_MS, 0, 100)).toBe(false)
    }
    expect(workers[0]!.creditBackMs).toBe(100 + SERVICE_MS)
    for (let time = 0; time < 64; time++) {
      workers[1]!.record.failed++
      record.failed(workers[1]!, SERVICE_MS, 0, 200)
    }
    for (let time = 0; time < 64; time++) record.failed(workers[0]!, SERVICE_MS, 0, 300)
    expect(workers[0]).toMatchObject({ state: 'idle', creditBackMs: 100 + SERVICE_MS })
  })

  test('that took as long as a success cost nothing at all', () => {
    const workers = workersOf(2)
    const record = new FailureRecord(workers)
    for (let time = 0; time < 20; time++) record.failed(workers[0]!, SERVICE_MS, SERVICE_MS, 100)
    expect(workers[0]!.penalised).toBe(false)
  })
})

describe('failures of one worker alone', () => {
  test('up to half of its tasks are tolerated', () => {
    const workers = workersOf(3)
    const record = new FailureRecord(workers)
    for (let round = 0; round < 50; round++) {
      record.succeeded(workers[0]!)
      record.succeeded(workers[0]!)
      record.failed(workers[0]!, SERVICE_MS, 0, 0)
    }
    expect(workers[0]!.failureShare).toBeLessThan(0.5)
    expect(workers[0]!.penalised).toBe(false)
  })

  test('beyond that each takes as long as a task that succeeds', () => {
    const workers = workersOf(3)
    const record = new FailureRecord(workers)
    failing(record, workers[0]!, 3, 100)
    expect(workers[0]!.penalised).toBe(false)
    failing(record, workers[0]!, 1, 100)
    expect(workers[0]).toMatchObject({ penalised: true, creditBackMs: 105 })
    failing(record, workers[0]!, 1, 100)
    expect(workers[0]!.creditBackMs).toBe(110)
  })

  test('five such in a row eject it, first for a second, then for twice as long, at most for thirty', () => {
    const workers = workersOf(4)
    const record = new FailureRecord(workers)
    const lengths: number[] = []
    for (let round = 0; round < 8; round++) {
      expect(failing(record, workers[0]!, 8, 0)).toBe(true)
      lengths.push(workers[0]!.ejectedUntilMs)
      workers[0]!.state = 'idle'
      workers[0]!.failuresInRow = 0
    }
    expect(lengths).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  })

  test('a success in between starts the count anew, and a good record shortens the next ejection', () => {
    const workers = workersOf(4)
    const record = new FailureRecord(workers)
    failing(record, workers[0]!, 5)
    workers[0]!.state = 'idle'
    failing(record, workers[0]!, 4)
    record.succeeded(workers[0]!)
    expect(failing(record, workers[0]!, 4)).toBe(false)
    for (let success = 0; success < 20; success++) record.succeeded(workers[0]!)
    expect(workers[0]!.ejections).toBe(0)
    expect(failing(record, workers[0]!, 8)).toBe(true)
    expect(workers[0]!.ejectedUntilMs).toBe(1_000)
  })

  test('no more than half of the workers are ever ejected, and never the only one', () => {
    const workers = workersOf(5)
    const record = new FailureRecord(workers)
    for (let round = 0; round < 20; round++) {
      for (const worker of workers.slice(0, 2)) failing(record, worker, 20)
    }
    failing(record, workers[2]!, 40)
    expect(workers.filter(({ state }) => state === 'ejected')).toHaveLength(2)
    const pair = workersOf(2)
    const ofPair = new FailureRecord(pair)
    failing(ofPair, pair[0]!, 20)
    expect(pair.map(({ state }) => state)).toEqual(['ejected', 'idle'])
  })

  test('a worker that is dead or suspect is not ejected', () => {
    const workers = workersOf(3)
    workers[0]!.state = 'busy'
    workers[0]!.state = 'suspect'
    expect(failing(new FailureRecord(workers), workers[0]!, 20)).toBe(false)
    expect(workers[0]!.state).toBe('suspect')
  })
})
