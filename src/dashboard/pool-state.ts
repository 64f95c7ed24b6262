/** What the page is told: a pool's figures at one moment, and the events since the last. */

import type { Clock } from '../base/clock.js'
import type { WorkerSnapshot } from '../dispatcher/snapshot.js'
import type { PoolMetrics } from '../metrics/metrics.js'
import type { RecentPercentiles } from '../metrics/recent-durations.js'
import type { EventLog, LoggedEvent } from './event-log.js'

export interface DashboardState {
  readonly name: string
  /** When it was read, ms of the monotonic clock. */
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
  /** Greatest lateness of the dispatcher's own event loop in the last minute, ms. */
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

  /** With all events that are kept. */
  whole(): DashboardState {
    return this.#read(0)
  }

  /** With the events since the last call. */
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
