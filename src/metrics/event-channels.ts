/** A pool's events on Node's diagnostics channels, where monitoring agents look for them. */

import { type Channel, channel } from 'node:diagnostics_channel'
import { checkString, ownOptions } from '../base/checks.js'
import type { DispatcherEvents } from '../dispatcher/options/events.js'
import type { ObservedPool } from './observed-pool.js'
import { listen } from './subscription.js'

/** The channel of each event. Not that of `error`: who listens to it changes what the pool does. */
const CHANNELS: Readonly<Partial<Record<keyof DispatcherEvents, string>>> = {
  stall: 'evenkeel:worker:stall',
  recover: 'evenkeel:worker:recover',
  exit: 'evenkeel:worker:exit',
  restart: 'evenkeel:worker:restart',
  overload: 'evenkeel:pool:overload',
  underload: 'evenkeel:pool:underload',
  drain: 'evenkeel:queue:drain',
}

/** What `publishEvents` can be told. */
export interface PublishOptions {
  /** The pool's name, as `pool` in every message. Default `evenkeel`. */
  readonly name?: string
}

/** Ends what it was returned by. */
export interface Publication {
  /** Publishes no more. */
  close(): void
}

/**
 * Publishes the pool's events on the channels `evenkeel:worker:stall`, `:recover`, `:exit`, `:restart`,
 * `evenkeel:pool:overload`, `:underload` and `evenkeel:queue:drain`. A message is the event with the pool's name as
 * `pool`; it is made only when someone subscribes to the channel.
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
