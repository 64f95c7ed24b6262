/**
 * Who is to blame when a thread dies with started tasks: the culprit rejects with what it did, the others with an
 * error that says they were bystanders.
 */

import { EvenkeelError } from '../../base/errors.js'
import { adviceOnName } from '../../base/nearest-name.js'
import type { RandomSource } from '../../base/random.js'
import { DONE } from '../../board/claims.js'
import type { Lane } from '../../engine/lane.js'
import type { ExitCause } from '../../engine/supervisor.js'
import type { PoolWorker } from '../crew/pool-worker.js'
import { messageOf, reasonOf, withCauseStack } from '../crew/thread-ends.js'
import type { Delays } from '../places/delays.js'
import { tellRetried } from '../tasks/outside-call.js'
import type { Task } from '../tasks/task.js'
import type { FailureKind } from '../tasks/task-stats.js'

/** Workers that a task may bring down before it is refused for good, however many retries are left. */
const POISON_CRASHES = 3

export interface Loss {
  readonly task: Task
  readonly error: EvenkeelError
  readonly isCulprit: boolean
}

/** One loss per started task; posted ones must have been taken back before. */
export function lossesOf(worker: PoolWorker, lane: Lane<Task>, cause: ExitCause): Loss[] {
  // A thread that was ended on purpose may have been in the middle of anything.
  const culprit = worker.endExpected ? worker.blamed : culpritOf(lane)
  const reason = reasonOf(worker, cause)
  return [...lane.cpu, ...lane.io].map((task) => {
    // A finished task whose answer was lost on the way did nothing wrong, whoever it is.
    const isCulprit = task === culprit && lane.stateOf(task) !== DONE
    const error = isCulprit
      ? culpritError(task, worker.slot, reason, cause)
      : bystanderError(task, worker.slot, reason, cause)
    return { task, error, isCulprit }
  })
}

function culpritOf(lane: Lane<Task>): Task | undefined {
  const { culprit } = lane.row
  // 0: no JavaScript ran at the end, so whoever holds the turn was in the middle of it.
  return culprit === 0 ? lane.runningTask : lane.taskOf(culprit - 1)
}

function culpritError(task: Task, slot: number, reason: unknown, cause: ExitCause): EvenkeelError {
  const { exitCode } = cause
  const why = reason === undefined ? `exit code ${exitCode}` : messageOf(reason)
  const error = new EvenkeelError('EVENKEEL_WORKER_EXIT', `task "${task.name}" ended its worker: ${why}`, {
    cause: reason,
    task: task.name,
    exitCode,
    slot,
    attempts: task.attempt,
  })
  return withCauseStack(error, reason)
}

function bystanderError(task: Task, slot: number, reason: unknown, cause: ExitCause): EvenkeelError {
  const why = reason === undefined ? `exit code ${cause.exitCode}` : messageOf(reason)
  return new EvenkeelError(
    'EVENKEEL_LOST_WITH_WORKER',
    `task "${task.name}" was lost with its worker, which another cause ended: ${why}`,
    { cause: reason, task: task.name, exitCode: cause.exitCode, slot, attempts: task.attempt },
  )
}

/** `names` are those of the tasks that the module has. */
export function unknownTaskError({ name }: Task, moduleUrl: string, names: readonly string[]): EvenkeelError {
  const message = `${moduleUrl} exports no task "${name}"; ${adviceOnName(name, names, 'its tasks are')}`
  return new EvenkeelError('EVENKEEL_UNKNOWN_TASK', message, { task: name })
}

/** The task was meant for one worker, which has gone before it could start it. */
export function unplacedError(task: Task): EvenkeelError {
  const { name, options } = task
  const message = `task "${name}" was lost with worker ${options.slot}, which it was meant for`
  return new EvenkeelError('EVENKEEL_LOST_WITH_WORKER', message, { task: name, slot: options.slot })
}

/** A call came after the close. */
export function closedError(): EvenkeelError {
  return new EvenkeelError('EVENKEEL_CLOSED', 'the dispatcher is closed and takes no more tasks')
}

const DEFAULT_BACKOFF_MS = 100

/** Earlier attempts whose errors are kept: what they died of tends to be the same. */
const MAX_EARLIER = 10

/** Tasks that may be started again. Only where their owner asked: a task starts at most once by default. */
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

  /**
   * True when the task will be tried again, after a wait. `error` is what this attempt ended with. A task that was asked
   * to end meanwhile is not; its `ending` says so then.
   */
  retry(task: Task, failure: FailureKind, error: unknown): boolean {
    const { retries } = task.options
    if (retries === undefined || task.ending !== undefined || task.attempt > retries.times) return false
    if (failure === 'thrown' && retries.on !== 'any') return false
    // What was moved to the worker is gone.
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
