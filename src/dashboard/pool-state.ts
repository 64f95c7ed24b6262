/** A pool's state for the page and for programs: its figures at one moment, its new events, and its health. */

import type { Clock } from '../base/clock.js'
import type { DispatcherSnapshot, WorkerSnapshot } from '../dispatcher/snapshot.js'
import type { PoolMetrics } from '../metrics/metrics.js'
import type { RecentPercentiles } from '../metrics/recent-durations.js'
import type { EventLog, LoggedEvent } from './event-log.js'

export interface DashboardState {
  readonly name: string
  /** Time of reading, ms of the monotonic clock. */
  readonly atMs: number
  readonly workers: readonly WorkerSnapshot[]
  readonly queued: number
  readonly oldestQueuedMs: number
  readonly posted: number
  readonly running: number
  readonly completed: number
  readonly failed: number
  readonly rejected: number
  readonly waitMs: RecentPercentiles
  readonly runMs: RecentPercentiles
  /** Greatest event-loop lag of the dispatcher's thread in the last minute, ms. */
  readonly mainLagMs: number
  readonly events: readonly LoggedEvent[]
}

/** Reads states, each in O(workers). */
export class PoolState {
  readonly #name: string
  readonly #metrics: PoolMetrics
  readonly #events: EventLog
  readonly #clock: Clock
  #toldId = 0

  constructor(name: string, metrics: PoolMetrics, events: EventLog, clock: Clock) {
    this.#name = name
    this.#metrics = metrics
    this.#events = events
    this.#clock = clock
  }

  /** The state with all kept events. */
  whole(): DashboardState {
    return this.#read(0)
  }

  /** The state with the events since the last call. */
  next(): DashboardState {
    const state = this.#read(this.#toldId)
    this.#toldId = this.#events.lastId
    return state
  }

  #read(sinceId: number): DashboardState {
    const { snapshot, recent, mainLag } = this.#metrics.figures()
    const { workers, queued, oldestQueuedMs, posted, running, completed, failed, rejected } = snapshot
    return {
      name: this.#name,
      atMs: this.#clock.nowMs(),
      workers,
      queued,
      oldestQueuedMs,
      posted,
      running,
      completed,
      failed,
      rejected,
      waitMs: recent.waitMs,
      runMs: recent.runMs,
      mainLagMs: mainLag.max,
      events: this.#events.since(sinceId),
    }
  }
}

/** Default limit of `livenessOf`, ms: work that has waited this long without a worker to take it will not be taken. */
export const STUCK_MS = 30_000

export interface Liveness {
  /** `stuck`: the pool has made no progress for a long time. */
  readonly status: 'ok' | 'stuck'
  /** Workers that have a thread, and those of them that are stalled. */
  readonly workers: number
  readonly stalled: number
  /** How long work has waited while no worker could take it, ms. */
  readonly stuckMs: number
}

export interface Readiness {
  /**
   * `starting`: no worker has loaded the module. `stalled`: all workers that have are stalled. `full`: as many tasks
   * wait as `maxQueue` allows.
   */
  readonly status: 'ready' | 'starting' | 'stalled' | 'full'
  /** Workers that take tasks. */
  readonly ready: number
}

const LOADED: ReadonlySet<WorkerSnapshot['state']> = new Set(['idle', 'busy', 'suspect', 'ejected'])

/**
 * Whether the process should be kept. A pool is stuck when work has waited for `limitMs` while all its workers were
 * stalled or none was loaded. Long tasks, full queues and single stalled workers are no reason to end a process.
 */
export function livenessOf({ workers, stuckMs }: DispatcherSnapshot, limitMs = STUCK_MS): Liveness {
  return {
    status: stuckMs > limitMs ? 'stuck' : 'ok',
    workers: workers.filter(({ state }) => state !== 'dead').length,
    stalled: workers.filter(({ state }) => state === 'stalled').length,
    stuckMs,
  }
}

/**
 * Whether the pool should get work: a worker is loaded and not stalled, and the queue is not full. A pool with
 * `workers.min` 0 starts its first thread with its first task, so it is ready without a thread.
 */
export function readinessOf({ workers, workersMin, hasRoom }: DispatcherSnapshot): Readiness {
  const ready = workers.filter(({ state }) => LOADED.has(state)).length
  const isStalled = workers.some(({ state }) => state === 'stalled')
  const startsOnDemand = workersMin === 0 && workers.every(({ state }) => state === 'dead')
  if (ready === 0 && isStalled) return { status: 'stalled', ready }
  if (ready === 0 && !startsOnDemand) return { status: 'starting', ready }
  return { status: hasRoom ? 'ready' : 'full', ready }
}
