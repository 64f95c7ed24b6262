/** What metrics and the dashboard need of a pool; a `Dispatcher` is one. */

import type { DispatcherEvents } from '../dispatcher/options/events.js'
import type { DispatcherSnapshot, TaskCounts } from '../dispatcher/snapshot.js'
import type { DurationCounts } from './duration-counts.js'

/** How long the tasks of a pool waited and ran, and its threads took to start, counted since it began. */
export interface PoolDurations {
  /** Submission to start. */
  readonly wait: DurationCounts
  /** Start to finish. */
  readonly run: DurationCounts
  /** Start of a thread until it takes tasks. */
  readonly start: DurationCounts
}

/** A pool that can be looked at: its state read from shared memory, and its events. */
export interface ObservedPool {
  /** The pool at this moment; asks no worker. */
  snapshot(): DispatcherSnapshot
  /** Copies of the counts. */
  durations(): PoolDurations
  /** Copies of what is counted of each task name. */
  taskCounts(): readonly TaskCounts[]
  /** Calls `listener` at every event of that name. */
  on<Name extends keyof DispatcherEvents>(name: Name, listener: (...args: DispatcherEvents[Name]) => void): unknown
  /** Ends what `on` began. */
  off<Name extends keyof DispatcherEvents>(name: Name, listener: (...args: DispatcherEvents[Name]) => void): unknown
}
