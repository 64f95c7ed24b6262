/** What `run()` takes beside name and payload. */

import type { TransferListItem } from 'node:worker_threads'
import {
  checkFunction,
  checkInteger,
  checkKeys,
  checkNumber,
  checkObject,
  checkOneOf,
  checkString,
} from '../base/checks.js'
import { MAX_TIMER_MS } from '../base/clock.js'
import { OptionTypeError } from '../base/errors.js'

/** When and how often a task may be started again. */
export interface RetryOptions {
  /** How many times the task may be started again. */
  readonly times: number
  /** `worker-loss` (default): only when the worker was lost; `any`: also when the task throws. */
  readonly on?: 'worker-loss' | 'any'
  /** Wait before the first retry, ms; doubles with each further one, with ±50 % jitter. Default 100. */
  readonly backoffMs?: number
}

/** What `Dispatcher.run` takes beside name and payload. */
export interface RunOptions {
  /** Larger goes first; an integer, default 0. A waiting task gains one class every `ageMs`. */
  readonly priority?: number
  /** Longest run, ms, counted from the start. */
  readonly runTimeoutMs?: number
  /** Longest wait for a start, ms. */
  readonly queueTimeoutMs?: number
  /** Longest time from submission to the answer, ms. */
  readonly deadlineMs?: number
  /** Removes a waiting task, asks a running one to end. */
  readonly signal?: AbortSignal
  /** Default: none; a task is started at most once, and one with a `transfer` list never again: what was moved is gone. */
  readonly retries?: RetryOptions
  /** Names a group of tasks for `setPriority` and `cancel`. */
  readonly tag?: string
  /** Name of the gate, of the dispatcher's `gates`, that the task has to pass before it may start. */
  readonly gate?: string
  /** How long the start is put off, ms, up to 24 days. Place in the queue, limits and ageing count from its end. */
  readonly delayMs?: number
  /**
   * While a task of this name and key is unsettled, further calls with both equal join it: they start nothing, and
   * get its result, the same object, or its error. The first call decides on payload and options; of later ones
   * only `signal` counts. An abort takes only its own caller out; with the last one the task ends.
   */
  readonly share?: string
  /** Tasks of equal keys go to one worker as long as it is healthy and has room. */
  readonly key?: string
  /** Objects of the payload that are moved to the worker instead of copied. */
  readonly transfer?: readonly TransferListItem[]
  /** Called with each value that the task passes to `context.progress`, before its result, in the asynchronous context of the call. */
  readonly onProgress?: (value: unknown) => void
}

const RUN_OPTION_KEYS: readonly (keyof RunOptions)[] = [
  'priority',
  'runTimeoutMs',
  'queueTimeoutMs',
  'deadlineMs',
  'signal',
  'retries',
  'key',
  'transfer',
  'onProgress',
  'tag',
  'delayMs',
  'share',
  'gate',
]

/** Longest time limit, ms: ten years. */
const MAX_LIMIT_MS = 10 * 365 * 86_400_000

function checkSignal(value: unknown): void {
  const signal = value as AbortSignal
  const isSignal =
    typeof value === 'object' &&
    value !== null &&
    typeof signal.aborted === 'boolean' &&
    typeof signal.addEventListener === 'function'
  if (!isSignal) throw new OptionTypeError('signal', 'expected an AbortSignal')
}

function checkRetries(value: unknown): void {
  // Elsewhere it is a number, so the form is told and not only the type.
  if (typeof value === 'number') {
    throw new OptionTypeError('retries', `expected an object such as { times: 3 }, got ${value}`)
  }
  const retries = checkObject('retries', value)
  checkKeys('retries', retries, ['times', 'on', 'backoffMs'])
  checkInteger('retries.times', retries.times, 0, 1_000_000)
  if (retries.on !== undefined) checkOneOf('retries.on', retries.on, ['worker-loss', 'any'])
  if (retries.backoffMs !== undefined) checkNumber('retries.backoffMs', retries.backoffMs, 0, MAX_LIMIT_MS)
}

/** Throws an option error for anything that is not a valid option; allocates nothing when all is well. */
export function checkRunOptions(value: unknown): RunOptions {
  const options = checkObject('options', value) as RunOptions
  checkKeys('', options, RUN_OPTION_KEYS)
  if (options.priority !== undefined) {
    checkInteger('priority', options.priority, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  }
  for (const limit of ['runTimeoutMs', 'queueTimeoutMs', 'deadlineMs'] as const) {
    const limitMs = options[limit]
    if (limitMs !== undefined && limitMs !== Number.POSITIVE_INFINITY) checkNumber(limit, limitMs, 0, MAX_LIMIT_MS)
  }
  if (options.signal !== undefined) checkSignal(options.signal)
  if (options.retries !== undefined) checkRetries(options.retries)
  if (options.key !== undefined) checkString('key', options.key)
  if (options.tag !== undefined) checkString('tag', options.tag)
  if (options.share !== undefined) checkString('share', options.share)
  if (options.gate !== undefined) checkString('gate', options.gate)
  if (options.delayMs !== undefined) checkNumber('delayMs', options.delayMs, 0, MAX_TIMER_MS)
  if (options.transfer !== undefined && !Array.isArray(options.transfer)) {
    throw new OptionTypeError('transfer', 'expected an array of transferable objects')
  }
  if (options.onProgress !== undefined) checkFunction('onProgress', options.onProgress)
  return options
}
