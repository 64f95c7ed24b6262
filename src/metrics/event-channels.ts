/** Publishes a pool's events on Node's diagnostics channels, where monitoring agents look for them. */

import { type Channel, channel } from 'node:diagnostics_channel'
import { checkString, ownOptions } from '../base/checks.js'
import type { DispatcherEvents } from '../dispatcher/options/events.js'
import type { ObservedPool } from './observed-pool.js'
import { listen } from './observed-pool.js'

/** The channel of each event. `error` has none: a listener for it changes what the pool does. */
const CHANNELS: Readonly<Partial<Record<keyof DispatcherEvents, string>>> = {
  stall: 'evenkeel:worker:stall',
  recover: 'evenkeel:worker:recover',
  exit: 'evenkeel:worker:exit',
  restart: 'evenkeel:worker:restart',
  overload: 'evenkeel:pool:overload',
  underload: 'evenkeel:pool:underload',
  drain: 'evenkeel:queue:drain',
}

/** Options of `publishEvents`. */
export interface PublishOptions {
  /** The pool's name, which every message has as `pool`. Default `evenkeel`. */
  readonly name?: string
}

/** What `publishEvents` returns. */
export interface Publication {
  /** Stops publishing. */
  close(): void
}

/**
 * Publishes the pool's events on the channels `evenkeel:worker:stall`, `:recover`, `:exit`, `:restart`,
 * `evenkeel:pool:overload`, `:underload` and `evenkeel:queue:drain`. A message is the event's details with the pool's
 * name as `pool`. It is made only when the channel has a subscriber.
 */
export function publishEvents(pool: ObservedPool, options: PublishOptions = {}): Publication {
  const own = ownOptions('', options, ['name'])
  const name = own.name === undefined ? 'evenkeel' : checkString('name', own.name)
  const listeners = Object.entries(CHANNELS).map(([event, channelName]) => {
    const told = channel(channelName)
    return [event, (details?: object) => publish(told, name, details)]
  })
  return { close: listen(pool, Object.fromEntries(listeners)) }
}

function publish(told: Channel, poolName: string, details: object | undefined): void {
  if (told.hasSubscribers) told.publish({ pool: poolName, ...details })
}
