/** Whether a failed or lost task is tried again, when, and what the errors of its earlier attempts were. */

import { EvenkeelError } from '../../base/errors.js'
import type { RandomSource } from '../../base/random.js'
import type { Delays } from '../places/delays.js'
import { tellRetried } from '../tasks/outside-call.js'
import type { Task } from '../tasks/task.js'
import type { FailureKind } from '../tasks/task-stats.js'

/** A task that ended this many workers is never tried again, however many retries are left. */
const POISON_CRASHES = 3

const DEFAULT_BACKOFF_MS = 100

/** The errors of this many earlier attempts are kept. They tend to be alike. */
const MAX_EARLIER = 10

/** Decides whether a task is started again. Only with `retries`: by default a task starts at most once. */
export class Retries {
  readonly #delays: Delays
  readonly #random: RandomSource

  /** @param delays where tasks wait for their next attempt */
  constructor(delays: Delays, random: RandomSource) {
    this.#delays = delays
    this.#random = random
  }

  /** The error of a lost task. A task that ended worker after worker gets `EVENKEEL_POISON`. */
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

  /**
   * True when the task will be tried again, after a wait. `error` is what this attempt ended with. A task that was
   * asked to end meanwhile is not; its `ending` says so then.
   */
  retry(task: Task, failure: FailureKind, error: unknown): boolean {
    const { retries } = task.options
    if (retries === undefined || task.ending !== undefined || task.attempt > retries.times) return false
    if (failure === 'thrown' && retries.on !== 'any') return false
    // Moved objects are gone with the worker.
    if (task.transfer !== undefined && task.transfer.length > 0) return false
    if (task.crashes >= POISON_CRASHES) return false
    if (task.endInsteadOfRetry !== undefined) {
      task.ending = task.endInsteadOfRetry
      return false
    }
    const delayMs = retryDelayMs(retries.backoffMs ?? DEFAULT_BACKOFF_MS, task.attempt, this.#random)
    task.attempt++
    noteAttempt(task, error)
    task.stats.tally.retries[failure]++
    tellRetried(task, failure, delayMs)
    this.#delays.hold(task, delayMs)
    return true
  }
}

/** Doubles with each attempt, with ±50 % jitter, so that tasks that failed together do not come back together. */
export function retryDelayMs(backoffMs: number, attempt: number, random: RandomSource): number {
  return backoffMs * 2 ** Math.min(30, attempt - 1) * (0.5 + random())
}

/** Errors of earlier attempts. Few tasks are tried again, so this is no field of every task. */
const earlierErrors = new WeakMap<Task, unknown[]>()

function noteAttempt(task: Task, error: unknown): void {
  const earlier = earlierErrors.get(task) ?? []
  if (earlier.length === MAX_EARLIER) earlier.shift()
  earlier.push(error)
  earlierErrors.set(task, earlier)
}

/**
 * Adds `earlierErrors`, the errors of earlier attempts, to the error that the task rejects with. Only to an error
 * made for this task alone: not to the reason of a user's signal, a frozen object, or a value that is no error.
 */
export function tellEarlier(task: Task, reason: unknown): void {
  const { ending } = task
  const earlier = task.attempt > 1 ? earlierErrors.get(task) : undefined
  if (earlier === undefined || !(reason instanceof Error) || Object.hasOwn(reason, 'earlierErrors')) return
  const isOurs = reason instanceof EvenkeelError
  if (reason === ending && !isOurs) return
  // This error is shared by all tasks that wait.
  if (isOurs && reason.code === 'EVENKEEL_MODULE_LOAD') return
  Reflect.defineProperty(reason, 'earlierErrors', {
    value: earlier,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}
