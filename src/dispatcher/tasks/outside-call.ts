import { queueMicrotask } from '../../base/timers.js'

/**
 * Code that is not ours: listeners, subscribers and progress callbacks. It may do anything with the pool, so it is called in a
 * microtask of its own, when nothing of ours is half done. Calls keep their order, and what is told before a task
 * settles is heard before the handlers of its promise are.
 */

import type { Channel } from 'node:diagnostics_channel'
import { OptionRangeError } from '../../base/errors.js'
import { type RandomSource, systemRandom } from '../../base/random.js'

/**
 * Calls soon. `failed` gets what the call throws, or what a promise it returns rejects with; what `failed` itself
 * throws is an uncaught exception.
 */
export function callOutside(call: () => unknown, failed: (error: unknown) => void): void {
  queueMicrotask(() => {
    let result: unknown
    try {
      result = call()
    } catch (error) {
      failed(error)
      return
    }
    if (!(result instanceof Promise)) return
    result.catch((error: unknown) => queueMicrotask(() => failed(error)))
  })
}

/** Tells the channel's subscribers soon. What one of them throws is an uncaught exception, which Node sees to. */
export function publishSoon(channel: Channel, message: object): void {
  queueMicrotask(() => channel.publish(message))
}

/** A source of the user's own in a place where nothing may fail: once it throws or leaves [0, 1), the system's serves. */
export function safeRandom(random: RandomSource, failed: (error: unknown) => void): RandomSource {
  let own = random
  return () => {
    let value: number
    try {
      value = own()
      if (typeof value === 'number' && value >= 0 && value < 1) return value
      failed(new OptionRangeError('random', `gave ${String(value)} where a number from 0 up to 1 is due`))
    } catch (error) {
      failed(error)
    }
    own = systemRandom
    return own()
  }
}
