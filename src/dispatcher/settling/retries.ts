/** Tasks that may be started again. Only where their owner asked: a task starts at most once by default. */

import { EvenkeelError } from '../../base/errors.js'
import type { RandomSource } from '../../base/random.js'
import type { Delays } from '../places/delays.js'
import type { Task } from '../tasks/task.js'
import { tellRetried } from '../tasks/task-channels.js'
import type { FailureKind } from '../tasks/task-tally.js'
import { POISON_CRASHES } from './losses.js'

const DEFAULT_BACKOFF_MS = 100

/** Earlier attempts whose errors are kept: what they died of tends to be the same. */
const MAX_EARLIER = 10

export class Retries {
  readonly #delays: Delays
  readonly #random: RandomSource

  /** @param delays where tasks wait for their next attempt */
  constructor(delays: Delays, random: RandomSource) {
    this.#delays = delays
    this.#random = random
  }

  /** What a lost task rejects with: a task that brought down worker after worker is refused for good. */
  finalError(task: Task, error: Error): Error {
    if (task.crashes < POISON_CRASHES) return error
    return new EvenkeelError(
      'EVENKEEL_POISON',
      `task "${task.name}" ended ${task.crashes} workers and is not tried again`,
      {
        cause: error,
        task: task.name,
        attempts: task.attempt,
      },
    )
  }

  /** True when the task will be tried again, after a wait. `error` is what this attempt ended with. */
  retry(task: Task, failure: FailureKind, error: unknown): boolean {
    const { retries } = task.options
    if (retries === undefined || task.ending !== undefined || task.attempt > retries.times) return false
    if (failure === 'thrown' && retries.on !== 'any') return false
    // What was moved to the worker is gone.
    if (task.transfer !== undefined && task.transfer.length > 0) return false
    if (task.crashes >= POISON_CRASHES) return false
    const delayMs = retryDelayMs(retries.backoffMs ?? DEFAULT_BACKOFF_MS, task.attempt, this.#random)
    task.attempt++
    noteAttempt(task, error)
    task.stats.tally.retries[failure]++
    tellRetried(task, failure, delayMs)
    this.#delays.hold(task, delayMs)
    return true
  }
}

/** Doubles with each attempt; between half and one and a half of that, so that tasks that failed together do not return together. */
export function retryDelayMs(backoffMs: number, attempt: number, random: RandomSource): number {
  return backoffMs * 2 ** Math.min(30, attempt - 1) * (0.5 + random())
}

/** What earlier attempts ended with, the latest of them. Few tasks are tried again, so it is no field of all of them. */
const earlierErrors = new WeakMap<Task, unknown[]>()

function noteAttempt(task: Task, error: unknown): void {
  const earlier = earlierErrors.get(task) ?? []
  if (earlier.length === MAX_EARLIER) earlier.shift()
  earlier.push(error)
  earlierErrors.set(task, earlier)
}

/**
 * Tells what the earlier attempts ended with, on what the task rejects with: an error of the task's, made for it alone,
 * or one of our own. What code of the user's own put in its place, what is frozen, and what is no error stay as they are.
 */
export function tellEarlier(task: Task, reason: unknown): void {
  const { ending } = task
  const earlier = task.attempt > 1 ? earlierErrors.get(task) : undefined
  if (earlier === undefined || !(reason instanceof Error) || Object.hasOwn(reason, 'earlierErrors')) return
  const isOurs = reason instanceof EvenkeelError
  if (reason === ending && !isOurs) return
  // One such error goes to all that wait.
  if (isOurs && reason.code === 'EVENKEEL_MODULE_LOAD') return
  Reflect.defineProperty(reason, 'earlierErrors', {
    value: earlier,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}
