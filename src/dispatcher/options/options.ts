/** The dispatcher's options: one type, one defaults object, one function that resolves and checks. */

import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ResourceLimits, SHARE_ENV } from 'node:worker_threads'
import {
  checkBoolean,
  checkFunction,
  checkInteger,
  checkNumber,
  checkObject,
  checkOneOf,
  checkString,
  ownOptions,
} from '../../base/checks.js'
import { OptionRangeError, OptionTypeError } from '../../base/errors.js'
import { moduleUrlOf } from '../../base/module-url.js'
import { defaultParallelism } from '../../base/parallelism.js'
import { type RandomSource, systemRandom } from '../../base/random.js'
import { MAX_WINDOW } from '../../board/layout.js'
import type { ThreadOptions } from '../../engine/supervisor.js'
import { copyLoadOptions, type LoadOptions, resolveLoadOptions } from '../../load/load-options.js'
import { cloneRejection, refuseEmptied } from '../../protocol/clone-rejection.js'
import { threadMark } from '../../protocol/thread-mark.js'
import { createStrategy, type StrategyName, type StrategySpec } from '../../selection/index.js'
import type { SelectionStrategy } from '../../selection/load-view.js'
import {
  type CallDefaults,
  type CallOptions,
  checkDefaults,
  checkGates,
  type GateOptions,
  type Gates,
} from './run-options.js'

/** How many workers there are, at least and at most. */
export interface WorkerRange {
  /** Kept alive, and started in the constructor. */
  readonly min: number
  /** Started at most. */
  readonly max: number
}

/** What `new Dispatcher` takes. */
export interface DispatcherOptions {
  /** The task module: a file URL, an absolute path, or a bare specifier. */
  readonly module: string | URL
  /** Threads, 1 to 1,024. Default: the CPUs that the process may use, cgroup quotas included. */
  readonly workers?: number | WorkerRange
  /** How a worker is chosen: a catalogue name, a name with parameters, or your own object. Default `range-table`. */
  readonly strategy?: StrategyName | StrategySpec | SelectionStrategy
  /** CPU tasks a worker may hold, 1 to 256. Default: as many as 1 ms of expected work, at least 2. */
  readonly window?: number
  /** I/O tasks a worker runs side by side, 1 to 200. Default 64. */
  readonly ioWindow?: number
  /** Tasks that may wait beyond those that can run at once; more are refused. Default: no limit. */
  readonly maxQueue?: number
  /** `central` (default): a central queue feeds bounded windows. `push`: the strategy alone decides, at once. */
  readonly mode?: 'central' | 'push'
  /** Whether unstarted tasks are taken back from a worker without progress. Default true. */
  readonly takeBack?: boolean
  /**
   * Silence after which a worker counts as stalled, ms, or four times the longest run of its task's name. Default 250.
   */
  readonly stallMs?: number
  /** The same while the name has run fewer than 20 times, ms. Default: 20 times `stallMs`, 5,000. */
  readonly stallUnknownMs?: number
  /** Silence after which a worker that counts as stalled is terminated, ms. Default: never. */
  readonly stallKillMs?: number
  /** How long a task that was asked to end may take before its thread is terminated, ms. Default 250. */
  readonly graceMs?: number
  /** Waiting time that raises a task by one priority, ms. Default 1,000. */
  readonly ageMs?: number
  /**
   * Idle time after which a worker beyond `workers.min` ends, ms; nothing else ends it for lack of work. Default
   * 10,000.
   */
  readonly idleMs?: number
  /** How long a thread may take to load the module and run its `setup`, while somebody waits, ms. Default 120,000. */
  readonly startTimeoutMs?: number
  /** How long `close()`, and a worker that is replaced, wait for running tasks, ms. Default 30,000. */
  readonly closeTimeoutMs?: number
  /** Options for every call that does not set them. Default: none. */
  readonly defaults?: CallDefaults
  /** A worker is replaced once it has begun this many tasks. Default: never. */
  readonly maxTasksPerWorker?: number
  /**
   * A worker is replaced after a task that leaves its heap larger than this. Garbage counts. Bytes of buffers and
   * typed arrays are outside the heap and do not count. Costs 0.7 µs a task. Default: never.
   */
  readonly maxHeapBytes?: number
  /**
   * Limits by name, which a task passes with `run`'s `gate`: how many run at once, and how many start per time. Tasks
   * pass in the order of priority. For services that count calls.
   */
  readonly gates?: Gates
  /** How a worker's load is computed. Default: the larger of queue depth and event-loop lag. */
  readonly load?: LoadOptions
  /** Source of randomness, uniform in [0, 1). */
  readonly random?: RandomSource
  /** Node's limits of each thread's heap and stack; best effort, see the README's limits. */
  readonly resourceLimits?: ResourceLimits
  /** Environment of the threads. Default: a copy of the process's, made when a thread starts. */
  readonly env?: NodeJS.ProcessEnv | typeof SHARE_ENV
  /** Added to `process.argv` of the threads. */
  readonly argv?: readonly string[]
  /** Node flags of the threads, such as `['--import', 'tsx']`. Default: those of the process. */
  readonly execArgv?: readonly string[]
  /** What the workers find as `workerData`; cloned in the constructor, and once per thread. */
  readonly workerData?: unknown
  /**
   * Where the workers' output goes. `inherit` (default): to the process's own output, before the answer of the task
   * that printed it. `capture`: only to the listeners of `output`, with worker and task.
   */
  readonly stdio?: 'inherit' | 'capture'
  /** Lowers the threads' priority by this number, 0 to 19. Needs the optional package @napi-rs/nice. */
  readonly niceIncrement?: number
  /** Whether file descriptors that a thread leaves open are closed at its end. Default true. */
  readonly trackUnmanagedFds?: boolean
  /**
   * Where evenkeel's thread file is when evenkeel is part of a bundle: a file URL or an absolute path. Default: with
   * evenkeel.
   */
  readonly threadFile?: string | URL
}

const DEFAULTS = Object.freeze({
  strategy: 'range-table',
  ioWindow: 64,
  maxQueue: Number.POSITIVE_INFINITY,
  mode: 'central',
  takeBack: true,
  stallMs: 250,
  stallKillMs: Number.POSITIVE_INFINITY,
  graceMs: 250,
  ageMs: 1_000,
  idleMs: 10_000,
  startTimeoutMs: 120_000,
  closeTimeoutMs: 30_000,
  stdio: 'inherit',
  maxTasksPerWorker: Number.POSITIVE_INFINITY,
  maxHeapBytes: Number.POSITIVE_INFINITY,
} as const)

export interface ResolvedOptions {
  readonly moduleUrl: string
  readonly workers: WorkerRange
  readonly strategy: SelectionStrategy
  /** Undefined: by expected time. */
  readonly window: number | undefined
  readonly ioWindow: number
  readonly maxQueue: number
  readonly mode: 'central' | 'push'
  readonly takeBack: boolean
  readonly stallMs: number
  readonly stallUnknownMs: number
  readonly stallKillMs: number
  readonly graceMs: number
  readonly ageMs: number
  readonly idleMs: number
  readonly startTimeoutMs: number
  readonly closeTimeoutMs: number
  readonly defaults: Readonly<CallOptions>
  readonly maxTasksPerWorker: number
  readonly maxHeapBytes: number
  readonly gates: ReadonlyMap<string, GateOptions>
  readonly load: LoadOptions
  /** How long all workers must be overloaded or underloaded before an event says so, ms. */
  readonly holdMs: number
  readonly random: RandomSource
  readonly capturesOutput: boolean
  readonly workerData: unknown
  readonly thread: ThreadOptions
  /** Nesting depth of the dispatcher in evenkeel's own threads; 0 outside. */
  readonly depth: number
  /** Threads start with the first task, not in the constructor. */
  readonly startsLate: boolean
}

/** More threads than this are a mistake on any current machine. */
export const MAX_WORKERS = 1_024
/** Deepest nesting of pools: a task may create a pool, but the tasks of that pool may not. */
const MAX_DEPTH = 2
/** The claim words of a lane that the largest window leaves, less some that taken-back messages may still use. */
const MAX_IO_WINDOW = 200
const MAX_MS = 2 ** 40

const KEYS: readonly (keyof DispatcherOptions)[] = [
  'module',
  'workers',
  'strategy',
  'window',
  'ioWindow',
  'maxQueue',
  'mode',
  'takeBack',
  'stallMs',
  'stallUnknownMs',
  'stallKillMs',
  'graceMs',
  'ageMs',
  'idleMs',
  'startTimeoutMs',
  'closeTimeoutMs',
  'defaults',
  'maxTasksPerWorker',
  'maxHeapBytes',
  'gates',
  'load',
  'random',
  'resourceLimits',
  'env',
  'argv',
  'execArgv',
  'workerData',
  'stdio',
  'niceIncrement',
  'trackUnmanagedFds',
  'threadFile',
]

/** Checks a number of workers, or its bounds. */
export function checkWorkers(value: unknown): WorkerRange {
  if (typeof value === 'object' && value !== null) {
    const range = ownOptions('workers', value, ['min', 'max'])
    const min = checkInteger('workers.min', range.min, 0, MAX_WORKERS)
    const max = checkInteger('workers.max', range.max, 1, MAX_WORKERS)
    if (min > max) throw new OptionRangeError('workers', `min ${min} is larger than max ${max}`)
    return { min, max }
  }
  const count = checkInteger('workers', value, 1, MAX_WORKERS)
  return { min: count, max: count }
}

/** A non-negative number of milliseconds; `Infinity` means no limit. */
export function millisecondsOf(option: string, value: unknown, max = MAX_MS): number {
  return value === Number.POSITIVE_INFINITY ? value : checkNumber(option, value, 0, max)
}

function countOf(option: string, value: unknown, min: number): number {
  return value === Number.POSITIVE_INFINITY ? value : checkInteger(option, value, min)
}

function stringsOf(option: string, value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined
  const strings: unknown[] | undefined = Array.isArray(value) ? Array.from(value) : undefined
  if (!strings?.every((item) => typeof item === 'string')) {
    throw new OptionTypeError(option, 'expected an array of strings')
  }
  return strings
}

/** A clone, so that later threads get the value as it was given. Shared memory stays shared. */
function workerDataOf(value: unknown): unknown {
  refuseEmptied(value, 'workerData')
  try {
    return structuredClone(value)
  } catch (thrown) {
    throw cloneRejection({ root: 'workerData', value, thrown })
  }
}

/** A copy, so that later threads get what was given. */
function copyOf(option: string, value: unknown): Record<string, unknown> {
  return { ...checkObject(option, value) }
}

/** Node's names. */
const RESOURCE_LIMITS = [
  'maxOldGenerationSizeMb',
  'maxYoungGenerationSizeMb',
  'codeRangeSizeMb',
  'stackSizeMb',
] as const

/** A copy. Node takes a misspelt limit for none. */
function resourceLimitsOf(value: unknown): ResourceLimits {
  const limits = ownOptions('resourceLimits', checkObject('resourceLimits', value), RESOURCE_LIMITS)
  for (const [name, limit] of Object.entries(limits)) {
    if (limit !== undefined) checkNumber(`resourceLimits.${name}`, limit, 0, Number.MAX_SAFE_INTEGER)
  }
  return limits as ResourceLimits
}

function environmentOf(value: unknown): Record<string, unknown> {
  const copy = copyOf('env', value)
  for (const [name, text] of Object.entries(copy)) if (text !== undefined) checkString(`env.${name}`, text)
  return copy
}

function threadOptionsOf(options: DispatcherOptions): ThreadOptions {
  const { resourceLimits, env, niceIncrement, trackUnmanagedFds } = options
  return {
    resourceLimits: resourceLimits === undefined ? undefined : resourceLimitsOf(resourceLimits),
    env: (env === undefined || env === SHARE_ENV ? env : environmentOf(env)) as NodeJS.ProcessEnv | undefined,
    argv: stringsOf('argv', options.argv),
    execArgv: stringsOf('execArgv', options.execArgv),
    niceIncrement: niceIncrement === undefined ? undefined : checkInteger('niceIncrement', niceIncrement, 0, 19),
    trackUnmanagedFds:
      trackUnmanagedFds === undefined ? undefined : checkBoolean('trackUnmanagedFds', trackUnmanagedFds),
    threadFile: threadFileOf(options.threadFile),
  }
}

/** The caller's own properties, over the defaults. */
function withDefaults(value: unknown): DispatcherOptions & typeof DEFAULTS {
  return Object.assign(Object.create(null), DEFAULTS, ownOptions('', value, KEYS))
}

/**
 * Throws a TypeError or RangeError with code `EVENKEEL_INVALID_OPTION` that names the option; `EVENKEEL_CLONE` when
 * `workerData` cannot be cloned.
 */
export function resolveOptions(value: unknown): ResolvedOptions {
  const options = withDefaults(value)
  const workers = checkWorkers(options.workers === undefined ? defaultParallelism() : options.workers)
  const random = options.random === undefined ? systemRandom : checkFunction<RandomSource>('random', options.random)
  const load = copyLoadOptions(options.load ?? {})
  const ms = (option: keyof typeof DEFAULTS) => millisecondsOf(option, options[option])
  const stallUnknown = options.stallUnknownMs
  const mark = threadMark()
  const depth = mark?.depth ?? 0
  if (depth >= MAX_DEPTH) {
    throw new OptionRangeError('workers', `a dispatcher inside the workers of ${MAX_DEPTH} others is not started`)
  }
  return Object.freeze({
    depth,
    startsLate: mark?.loading === true,
    moduleUrl: moduleUrlOf(options.module),
    workers,
    strategy: createStrategy(options.strategy, { random, size: workers.max }),
    window: options.window === undefined ? undefined : checkInteger('window', options.window, 1, MAX_WINDOW),
    ioWindow: checkInteger('ioWindow', options.ioWindow, 1, MAX_IO_WINDOW),
    maxQueue: countOf('maxQueue', options.maxQueue, 0),
    mode: checkOneOf('mode', options.mode, ['central', 'push']),
    takeBack: checkBoolean('takeBack', options.takeBack),
    stallMs: ms('stallMs'),
    stallUnknownMs: stallUnknown === undefined ? 20 * options.stallMs : millisecondsOf('stallUnknownMs', stallUnknown),
    stallKillMs: ms('stallKillMs'),
    graceMs: ms('graceMs'),
    ageMs: ms('ageMs'),
    idleMs: ms('idleMs'),
    startTimeoutMs: ms('startTimeoutMs'),
    closeTimeoutMs: ms('closeTimeoutMs'),
    defaults: checkDefaults(options.defaults),
    maxTasksPerWorker: countOf('maxTasksPerWorker', options.maxTasksPerWorker, 1),
    maxHeapBytes: countOf('maxHeapBytes', options.maxHeapBytes, 1),
    gates: checkGates(options.gates),
    load,
    holdMs: resolveLoadOptions(load).holdMs,
    random,
    capturesOutput: checkOneOf('stdio', options.stdio, ['inherit', 'capture']) === 'capture',
    workerData: workerDataOf(options.workerData),
    thread: threadOptionsOf(options),
  })
}

// Where evenkeel's thread file is, from what the caller gave.

const HINT = "pass new URL('./thread.cjs', import.meta.url) or an absolute path"

/** The path of the file, undefined when none was given. Throws when it is not there. */
export function threadFileOf(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const path = pathOf(value)
  if (!existsSync(path)) {
    throw new OptionRangeError(
      'threadFile',
      `${path} does not exist; copy the file that require.resolve('evenkeel/thread') names to there`,
    )
  }
  return path
}

function pathOf(value: unknown): string {
  if (value instanceof URL || (typeof value === 'string' && value.startsWith('file:'))) {
    const { protocol, href } = new URL(value)
    if (protocol === 'file:') return fileURLToPath(href)
  }
  if (typeof value === 'string' && isAbsolute(value)) return value
  throw new OptionTypeError('threadFile', `expected the URL or the absolute path of a file; ${HINT}`)
}
