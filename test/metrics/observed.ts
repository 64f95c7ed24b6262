import { EventEmitter } from 'node:events'
import type { DispatcherEvents } from '../../src/dispatcher/options/events.js'
import type { DispatcherSnapshot, TaskCounts, WorkerSnapshot } from '../../src/dispatcher/snapshot.js'
import type { DurationCounts } from '../../src/metrics/duration-counts.js'
import type { ObservedPool, PoolDurations } from '../../src/metrics/observed-pool.js'

const NO_TIMES = { count: 0, p50: 0, p90: 0, p99: 0, p999: 0, max: 0 }

export function workerOf(slot: number, values: Partial<WorkerSnapshot> = {}): WorkerSnapshot {
  return {
    slot,
    threadId: 100 + slot,
    state: 'idle',
    outstanding: 0,
    depth: 0,
    load: 0,
    share: 0.5,
    lagMs: 0,
    stampAgeMs: 0,
    oldestRunningMs: 0,
    started: 0,
    completed: 0,
    failed: 0,
    takenBack: 0,
    stalls: 0,
    restarts: 0,
    starts: 1,
    heapUsedBytes: 0,
    loopActiveMs: 0,
    loopIdleMs: 0,
    ...values,
  }
}

export function snapshotWith(values: Partial<DispatcherSnapshot> = {}): DispatcherSnapshot {
  return {
    workers: [workerOf(0), workerOf(1)],
    draining: [],
    workersMin: 1,
    workersMax: 2,
    strategy: 'range-table',
    queued: 0,
    queuedByPriority: [],
    delayed: 0,
    gated: 0,
    oldestQueuedMs: 0,
    stuckMs: 0,
    hasRoom: true,
    posted: 0,
    running: 0,
    completed: 0,
    failed: 0,
    rejected: 0,
    queueFull: 0,
    queueTimeouts: 0,
    lateAnswers: 0,
    waitMs: NO_TIMES,
    runMs: NO_TIMES,
    ...values,
  }
}

/** Counts in buckets that end at 1, 10 and 100 ms. */
export function countsOf(counts: readonly [number, number, number], sumUs = 0): DurationCounts {
  return { endsUs: [1_000, 10_000, 100_000], counts: [...counts], sumUs }
}

/** Counts of one name; `ok` tasks that each took a moment, unless told otherwise. */
export function taskOf(task: string | undefined, ok: number, values: Partial<TaskCounts> = {}): TaskCounts {
  return {
    task,
    submitted: ok,
    outcomes: { ok, error: 0, timeout: 0, aborted: 0, crashed: 0, rejected: 0 },
    retries: { 'worker-loss': 0, thrown: 0 },
    wait: countsOf([ok, 0, 0]),
    run: countsOf([ok, 0, 0]),
    total: countsOf([ok, 0, 0]),
    ...values,
  }
}

/** A pool whose state and events are the test's. */
export class FakeObservedPool extends EventEmitter<DispatcherEvents> implements ObservedPool {
  current = snapshotWith()
  counted: PoolDurations | undefined
  tasks: readonly TaskCounts[] = []
  snapshots = 0

  snapshot(): DispatcherSnapshot {
    this.snapshots++
    return this.current
  }

  durations(): PoolDurations {
    return this.counted ?? { wait: countsOf([0, 0, 0]), run: countsOf([0, 0, 0]), start: countsOf([0, 0, 0]) }
  }

  taskCounts(): readonly TaskCounts[] {
    return this.tasks
  }

  /** Listeners of all events together. */
  get listening(): number {
    return this.eventNames().reduce((sum, name) => sum + this.listenerCount(name), 0)
  }
}
