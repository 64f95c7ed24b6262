/** The part of a `Dispatcher` that metrics and the dashboard use. */

import type { DispatcherEvents } from '../dispatcher/options/events.js'
import type { DispatcherSnapshot, TaskCounts } from '../dispatcher/snapshot.js'
import type { DurationCounts } from './duration-counts.js'

/** Durations of a pool's tasks and thread starts, counted since the pool began. */
export interface PoolDurations {
  /** Submission to start. */
  readonly wait: DurationCounts
  /** Start to finish. */
  readonly run: DurationCounts
  /** Start of a thread until it takes tasks. */
  readonly start: DurationCounts
}

/** A pool's figures, read from shared memory, and its events. */
export interface ObservedPool {
  /** The pool at this moment. Asks no worker. */
  snapshot(): DispatcherSnapshot
  /** Copies of the counts. */
  durations(): PoolDurations
  /** Copies of the counts of each task name. */
  taskCounts(): readonly TaskCounts[]
  /** Calls `listener` for each event of that name. */
  on<Name extends keyof DispatcherEvents>(name: Name, listener: (...args: DispatcherEvents[Name]) => void): unknown
  /** Removes a listener that `on` added. */
  off<Name extends keyof DispatcherEvents>(name: Name, listener: (...args: DispatcherEvents[Name]) => void): unknown
}

/** Listeners by event. */
export type PoolListeners = {
  readonly [Name in keyof DispatcherEvents]?: (...args: DispatcherEvents[Name]) => void
}

/** Adds the listeners, and returns a function that removes them all. */
export function listen(pool: ObservedPool, listeners: PoolListeners): () => void {
  // TypeScript cannot express that each name goes with its own listener.
  const entries = Object.entries(listeners) as [keyof DispatcherEvents, (...args: unknown[]) => void][]
  for (const [name, listener] of entries) pool.on(name, listener)
  return () => {
    for (const [name, listener] of entries) pool.off(name, listener)
  }
}
