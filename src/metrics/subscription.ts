/** Listening to several events of a pool, with one end. */

import type { DispatcherEvents } from '../dispatcher/options/events.js'
import type { ObservedPool } from './observed-pool.js'

/** What to call at which event. Events without a listener are not listened to. */
export type PoolListeners = {
  readonly [Name in keyof DispatcherEvents]?: (...args: DispatcherEvents[Name]) => void
}

/** Calls the listeners until the returned function is called. */
export function listen(pool: ObservedPool, listeners: PoolListeners): () => void {
  // A name and its own listener belong together, which the types of a loop cannot say.
  const entries = Object.entries(listeners) as [keyof DispatcherEvents, (...args: unknown[]) => void][]
  for (const [name, listener] of entries) pool.on(name, listener)
  return () => {
    for (const [name, listener] of entries) pool.off(name, listener)
  }
}
