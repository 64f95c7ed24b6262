/**
 * Code that is not ours: listeners, subscribers and progress callbacks. It may do anything with the pool, so it is called in a
 * microtask of its own, when nothing of ours is half done. Calls keep their order, and what is told before a task
 * settles is heard before the handlers of its promise are.
 */

import { type Channel, channel } from 'node:diagnostics_channel'
import { OptionRangeError } from '../../base/errors.js'
import { type RandomSource, systemRandom } from '../../base/random.js'
import { queueMicrotask } from '../../base/timers.js'
import type { Task } from './task.js'

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

// What happens to tasks, on Node's diagnostics channels `evenkeel:task:submit`, `:settle` and `:retry`, and the queue
// that takes no more of them, on `evenkeel:queue:saturated`. A message is made only when someone subscribes; else a task
// pays a look at each channel, about a nanosecond.

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

/** The task found a full queue, as the first one since there was room. */
export function tellSaturated(task: Task, maxQueue: number): void {
  if (SATURATED.hasSubscribers) publishSoon(SATURATED, { task: task.name, maxQueue })
}

// What happens to workers and is no event of the dispatcher, on Node's diagnostics channel `evenkeel:worker:online`.

const ONLINE = channel('evenkeel:worker:online')

/** The worker has loaded the module and takes tasks, so long after its thread was started. */
export function tellOnline({ slot, threadId }: { slot: number; threadId: number }, startMs: number): void {
  if (ONLINE.hasSubscribers) publishSoon(ONLINE, { slot, threadId, startMs })
}
