/** What `run()` takes beside name and payload, and the gates that it may name. */

import type { TransferListItem } from 'node:worker_threads'
import {
  checkBoolean,
  checkFunction,
  checkInteger,
  checkKey,
  checkNumber,
  checkObject,
  checkOneOf,
  checkString,
  ownOptions,
} from '../../base/checks.js'
import { MAX_TIMER_MS } from '../../base/clock.js'
import { OptionTypeError } from '../../base/errors.js'

/** How often and when a task is started again. */
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
  /** Longest run, ms, counted from the start, without the time in which the whole process stood still. */
  readonly runTimeoutMs?: number
  /** Longest wait for a start, ms. */
  readonly queueTimeoutMs?: number
  /** Longest time from submission to the answer, ms. */
  readonly deadlineMs?: number
  /** Removes a waiting task, asks a running one to end. */
  readonly signal?: AbortSignal
  /**
   * Default: none, so a task is started at most once. A task with a `transfer` list is never retried: the moved objects
   * are gone.
   */
  readonly retries?: RetryOptions
  /** Names a group of tasks for `setPriority` and `cancel`. */
  readonly tag?: string
  /** Name of a gate in the dispatcher's `gates`, which the task must pass before its start and before each retry. */
  readonly gate?: string
  /** Delay of the start, ms, up to 24 days. The place in the queue, limits and ageing count from its end. */
  readonly delayMs?: number
  /**
   * While a task of this name and key is unsettled, further calls with the same name and key join it. They start
   * nothing, and get its result (the same object) or its error. Payload and options are those of the first call; of
   * later calls only `signal` counts. An abort rejects only its own caller. When the last caller has gone, the task
   * ends.
   */
  readonly share?: string
  /** Tasks of equal keys go to one worker as long as it is healthy and has room. */
  readonly key?: string
  /** The worker runs nothing else beside it: the task waits for an idle worker, and none is posted behind it. */
  readonly exclusive?: boolean
  /** Objects of the payload that are moved to the worker instead of copied. */
  readonly transfer?: readonly TransferListItem[]
  /**
   * Called with each value that the task passes to `context.progress`, before its result, in the asynchronous context
   * of the call.
   */
  readonly onProgress?: (value: unknown) => void
}

/**
 * A copy of the options of one call, so that later changes by the caller have no effect. All copies have one shape,
 * and inherit nothing.
 */
export class CallOptions implements RunOptions {
  priority: number | undefined = undefined
  runTimeoutMs: number | undefined = undefined
  queueTimeoutMs: number | undefined = undefined
  deadlineMs: number | undefined = undefined
  signal: AbortSignal | undefined = undefined
  retries: RetryOptions | undefined = undefined
  tag: string | undefined = undefined
  gate: string | undefined = undefined
  delayMs: number | undefined = undefined
  share: string | undefined = undefined
  key: string | undefined = undefined
  exclusive: boolean | undefined = undefined
  transfer: readonly TransferListItem[] | undefined = undefined
  onProgress: ((value: unknown) => void) | undefined = undefined

  static {
    // No prototype, so that options that are no fields, such as `slot`, are not found on `Object.prototype`.
    Object.setPrototypeOf(CallOptions.prototype, null)
  }
}

/** Options of a call without options, in a pool without defaults. */
export const NO_OPTIONS: Readonly<CallOptions> = Object.freeze(new CallOptions())

/** Options of calls that may be set once for a pool. The others concern one call alone. */
const DEFAULT_KEYS = ['priority', 'runTimeoutMs', 'queueTimeoutMs', 'deadlineMs', 'retries'] as const

/**
 * Options for every call of a pool that does not set them. A stream takes all but `retries`, `runOnAll` its two
 * limits, `broadcast` none. In a call, `Infinity` lifts a limit, and `retries: { times: 0 }` switches retries off.
 */
export type CallDefaults = Pick<RunOptions, (typeof DEFAULT_KEYS)[number]>

const RUN_OPTION_KEYS = Object.keys(new CallOptions()) as readonly (keyof RunOptions)[]

/** Longest time limit, ms: ten years. */
const MAX_LIMIT_MS = 10 * 365 * 86_400_000

function signalOf(value: unknown): AbortSignal {
  const signal = value as AbortSignal
  const isSignal =
    typeof value === 'object' &&
    value !== null &&
    typeof signal.aborted === 'boolean' &&
    typeof signal.addEventListener === 'function'
  if (!isSignal) throw new OptionTypeError('signal', 'expected an AbortSignal')
  return signal
}

function limitOf(option: string, value: unknown): number {
  return value === Number.POSITIVE_INFINITY ? value : checkNumber(option, value, 0, MAX_LIMIT_MS)
}

function retriesOf(option: string, value: unknown): RetryOptions {
  // The error shows the form, because elsewhere retries are a number.
  if (typeof value === 'number') {
    throw new OptionTypeError(option, `expected an object such as { times: 3 }, got ${value}`)
  }
  const retries = ownOptions(option, value, ['times', 'on', 'backoffMs'])
  checkInteger(`${option}.times`, retries.times, 0, 1_000_000)
  if (retries.on !== undefined) checkOneOf(`${option}.on`, retries.on, ['worker-loss', 'any'])
  if (retries.backoffMs !== undefined) checkNumber(`${option}.backoffMs`, retries.backoffMs, 0, MAX_LIMIT_MS)
  return retries as RetryOptions
}

function transferOf(value: unknown): readonly TransferListItem[] {
  if (!Array.isArray(value)) throw new OptionTypeError('transfer', 'expected an array of transferable objects')
  return Array.from(value)
}

/** Writes one checked value into the copy. `name` is the option's in errors. */
function take(options: CallOptions, key: keyof RunOptions, value: unknown, name: string): void {
  switch (key) {
    case 'priority':
      options.priority = checkInteger(name, value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
      break
    case 'runTimeoutMs':
    case 'queueTimeoutMs':
    case 'deadlineMs':
      options[key] = limitOf(name, value)
      break
    case 'signal':
      options.signal = signalOf(value)
      break
    case 'retries':
      options.retries = retriesOf(name, value)
      break
    case 'tag':
    case 'gate':
    case 'share':
    case 'key':
      options[key] = checkString(key, value)
      break
    case 'delayMs':
      options.delayMs = checkNumber(key, value, 0, MAX_TIMER_MS)
      break
    case 'exclusive':
      options.exclusive = checkBoolean(key, value)
      break
    case 'transfer':
      options.transfer = transferOf(value)
      break
    case 'onProgress':
      options.onProgress = checkFunction(key, value)
      break
  }
}

/**
 * A checked copy of the caller's own properties, each read once. `place`: where they were given, if not in the call.
 */
function copyOf(given: Record<string, unknown>, known: readonly string[], place: string): CallOptions {
  const options = new CallOptions()
  for (const key of Object.keys(given)) {
    checkKey(place, key, known)
    const item = given[key]
    if (item !== undefined) take(options, key as keyof RunOptions, item, place === '' ? key : `${place}.${key}`)
  }
  return options
}

/**
 * A checked copy of the caller's options, over those of the pool's defaults that are `known` to the call. Throws an
 * option error for anything that is not a valid option, or not a known one.
 */
export function checkRunOptions(
  value: unknown,
  known: readonly (keyof RunOptions)[] = RUN_OPTION_KEYS,
  defaults: Readonly<CallOptions> = NO_OPTIONS,
): CallOptions {
  const options = copyOf(checkObject('options', value), known, '')
  if (defaults === NO_OPTIONS) return options
  for (const key of DEFAULT_KEYS) {
    if (options[key] === undefined && known.includes(key)) Object.assign(options, { [key]: defaults[key] })
  }
  return options
}

/** The checked defaults of the pool, shared by all calls without options. */
export function checkDefaults(value: unknown): Readonly<CallOptions> {
  if (value === undefined) return NO_OPTIONS
  const defaults = copyOf(checkObject('defaults', value), DEFAULT_KEYS, 'defaults')
  if (DEFAULT_KEYS.every((key) => defaults[key] === undefined)) return NO_OPTIONS
  return Object.freeze(defaults)
}

// Gates: limits on how tasks use something outside, such as a service that counts its calls.

/** One gate. A limit that is not given does not apply. */
export interface GateOptions {
  /** Most tasks under way at once, from their pass until they settle or wait for their next attempt. */
  readonly concurrency?: number
  /** Most starts within any `intervalMs`; each attempt counts. Both must be given together. */
  readonly intervalCap?: number
  /** Length of the interval, ms. */
  readonly intervalMs?: number
}

/** Gates by name, as tasks ask for them with `gate`. */
export type Gates = Readonly<Record<string, GateOptions>>

function gateOf(option: string, value: unknown): GateOptions {
  const gate = ownOptions(option, value, ['concurrency', 'intervalCap', 'intervalMs'])
  const { concurrency, intervalCap, intervalMs } = gate
  if (concurrency !== undefined) checkInteger(`${option}.concurrency`, concurrency, 1)
  if (intervalCap !== undefined) checkInteger(`${option}.intervalCap`, intervalCap, 1)
  if (intervalMs !== undefined) checkNumber(`${option}.intervalMs`, intervalMs, 1, MAX_TIMER_MS)
  if ((intervalCap === undefined) !== (intervalMs === undefined)) {
    throw new OptionTypeError(option, 'intervalCap and intervalMs say something only together')
  }
  if (concurrency === undefined && intervalCap === undefined) throw new OptionTypeError(option, 'limits nothing')
  return gate as GateOptions
}

/** A copy, so that what the caller changes later changes nothing. */
export function checkGates(value: unknown): ReadonlyMap<string, GateOptions> {
  const gates = value === undefined ? {} : checkObject('gates', value)
  return new Map(Object.keys(gates).map((name) => [name, gateOf(`gates.${name}`, gates[name])]))
}
