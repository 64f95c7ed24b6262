/**
 * Calls user code: listeners, subscribers and progress callbacks. User code may do anything with the pool. So each
 * call is a microtask of its own, when the dispatcher's state is consistent. Calls keep their order: what is reported
 * before a task settles is heard before the handlers of its promise run.
 */

import { type Channel, channel } from 'node:diagnostics_channel'
import { OptionRangeError } from '../../base/errors.js'
import { type RandomSource, systemRandom } from '../../base/random.js'
import { queueMicrotask } from '../../base/timers.js'
import type { Task } from './task.js'

/**
 * Calls in a microtask. `failed` gets the exception, or the rejection of a returned promise. An exception of `failed`
 * is uncaught.
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

/** Publishes to the channel in a microtask. Node reports what a subscriber throws as an uncaught exception. */
export function publishSoon(channel: Channel, message: object): void {
  queueMicrotask(() => channel.publish(message))
}

/** A random source that cannot fail: if the user's throws, or leaves [0, 1), `Math.random` is used instead. */
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

// What happens to tasks, on Node's diagnostics channels `evenkeel:task:submit`, `:settle` and `:retry`, and the queue
// that takes no more of them, on `evenkeel:queue:saturated`. A message is built only when someone subscribes.
// Otherwise each channel costs a task about a nanosecond.

const SUBMIT = channel('evenkeel:task:submit')
const SETTLE = channel('evenkeel:task:settle')
const RETRY = channel('evenkeel:task:retry')
const SATURATED = channel('evenkeel:queue:saturated')

/** The task was accepted. */
export function tellSubmitted(task: Task): void {
  if (SUBMIT.hasSubscribers) publishSoon(SUBMIT, { task: task.name, kind: task.kind, priority: task.priority })
}

/** The task settled, with `error` when it rejected. */
export function tellSettled(task: Task, ok: boolean, error: unknown): void {
  if (SETTLE.hasSubscribers)
    publishSoon(SETTLE, { task: task.name, kind: task.kind, attempts: task.attempt, ok, error })
}

/** The task failed and will be tried again. */
export function tellRetried(task: Task, failure: string, delayMs: number): void {
  if (RETRY.hasSubscribers)
    publishSoon(RETRY, { task: task.name, kind: task.kind, attempt: task.attempt, failure, delayMs })
}

/** The task found a full queue, the first since there was room. */
export function tellSaturated(task: Task, maxQueue: number): void {
  if (SATURATED.hasSubscribers) publishSoon(SATURATED, { task: task.name, maxQueue })
}

// Node's diagnostics channel `evenkeel:worker:online`, beside the event `online` of a dispatcher.

const ONLINE = channel('evenkeel:worker:online')

/** The worker has loaded the module and takes tasks. `startMs`: since its thread was started. */
export function tellOnline({ slot, threadId }: { slot: number; threadId: number }, startMs: number): void {
  if (ONLINE.hasSubscribers) publishSoon(ONLINE, { slot, threadId, startMs })
}
