/** From a call to an accepted task: its arguments checked, its promise made. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { checkString } from '../../base/checks.js'
import type { Clock } from '../../base/clock.js'
import { queueMicrotask } from '../../base/timers.js'
import { type CallOptions, checkRunOptions, NO_OPTIONS, type RunOptions } from '../options/run-options.js'
import type { GateKeeper } from '../places/gates.js'
import { abortError } from '../settling/abort-signals.js'
import type { Ledger } from '../settling/ledger.js'
import { closedError } from '../settling/losses.js'
import { copyOptions, Task, type TaskOptions } from '../tasks/task.js'
import type { TaskNames } from '../tasks/task-stats.js'
import type { Arrivals } from './arrivals.js'
import { SharedRuns } from './shared-runs.js'

/**
 * Calls without options, within one turn of the loop, that share one reading of the clock. Only statistics and ageing
 * use their time. A reading would cost such a call 5 % (50 ns).
 */
const SUBMITS_PER_CLOCK_READ = 32

export interface SubmissionParts {
  readonly names: TaskNames
  readonly ledger: Ledger
  readonly gates: GateKeeper
  readonly arrivals: Arrivals
  readonly clock: Clock
  /** Options for calls that do not set them. */
  readonly defaults: Readonly<CallOptions>
  /** Fires when the dispatcher takes no more tasks. */
  readonly closing: AbortSignal
}

export class Submission {
  readonly #parts: SubmissionParts
  readonly #shared = new SharedRuns()
  #submitMs = 0
  #submitsLeft = 0

  constructor(parts: SubmissionParts) {
    this.#parts = parts
  }

  /** A call of the user's, with unchecked options. */
  run(name: unknown, payload: unknown, options: RunOptions | undefined): Promise<unknown> {
    if (options === undefined) return this.#start(name, payload, this.#parts.defaults)
    let copy: CallOptions
    try {
      copy = checkRunOptions(options, undefined, this.#parts.defaults)
    } catch (error) {
      return this.#refused(name, error)
    }
    return copy.share === undefined ? this.#start(name, payload, copy) : this.#runShared(name, payload, copy)
  }

  /** A call with checked options, or one of the dispatcher's own. */
  start(name: unknown, payload: unknown, options: TaskOptions, made?: (task: Task) => void): Promise<unknown> {
    return this.#start(name, payload, copyOptions(options), made)
  }

  /** `options` is never changed after this. */
  #start(name: unknown, payload: unknown, options: TaskOptions, made?: (task: Task) => void): Promise<unknown> {
    let task: Task
    try {
      task = this.#newTask(name, payload, options)
    } catch (error) {
      return this.#refused(name, error)
    }
    made?.(task)
    return this.#accept(task)
  }

  #accept(task: Task): Promise<unknown> {
    return new Promise<unknown>((resolve, reject) => {
      task.resolve = resolve
      task.reject = reject
      try {
        this.#parts.arrivals.accept(task)
      } catch (error) {
        this.#parts.ledger.refuse(task.stats.tally)
        reject(error)
      }
    })
  }

  #refused(name: unknown, error: unknown): Promise<never> {
    const { ledger, names } = this.#parts
    ledger.refuse(names.tallyOf(name))
    return Promise.reject(error)
  }

  #runShared(name: unknown, payload: unknown, options: CallOptions): Promise<unknown> {
    try {
      const { share, signal } = options
      if (this.#parts.closing.aborted) throw closedError()
      if (signal?.aborted) throw abortError(signal)
      const start = (all: AbortSignal) => this.#start(name, payload, copyOptions(options, { signal: all }))
      return this.#shared.run(checkString('name', name), share!, signal, start)
    } catch (error) {
      return this.#refused(name, error)
    }
  }

  #newTask(name: unknown, payload: unknown, options: TaskOptions): Task {
    if (this.#parts.closing.aborted) throw closedError()
    if (options.signal?.aborted) throw abortError(options.signal)
    const stats = this.#parts.names.statsOf(checkString('name', name))
    const task = new Task(
      stats,
      payload,
      options === NO_OPTIONS ? options : this.#prepared(options),
      // A limit counts from the call itself, so the shared reading of the clock will not do.
      options === NO_OPTIONS ? this.#sharedNow() : this.#parts.clock.nowMs(),
      this.#parts.arrivals.nextSequence++,
    )
    task.payloadBytes = payloadBytes(payload)
    return task
  }

  #sharedNow(): number {
    if (this.#submitsLeft-- > 0) return this.#submitMs
    this.#submitMs = this.#parts.clock.nowMs()
    this.#submitsLeft = SUBMITS_PER_CLOCK_READ - 1
    queueMicrotask(() => {
      this.#submitsLeft = 0
    })
    return this.#submitMs
  }

  /** `onProgress` is called in the asynchronous context of `run`. */
  #prepared(options: TaskOptions): TaskOptions {
    const { onProgress, gate } = options
    if (gate !== undefined) this.#parts.gates.of(gate)
    return onProgress === undefined ? options : copyOptions(options, { onProgress: AsyncLocalStorage.bind(onProgress) })
  }
}

// Binary bytes of a payload, itself or one level down. The window bounds them.

/** Elements or properties that are looked at. */
const MAX_LOOKED_AT = 16

function bytesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if (ArrayBuffer.isView(value)) return value.buffer instanceof ArrayBuffer ? value.byteLength : 0
  return value instanceof ArrayBuffer ? value.byteLength : 0
}

/** Takes a few ns for primitives. Shared memory does not count: it is not copied. Never throws. */
export function payloadBytes(payload: unknown): number {
  if (typeof payload !== 'object' || payload === null) return 0
  const own = bytesOf(payload)
  if (own > 0 || ArrayBuffer.isView(payload)) return own
  return Array.isArray(payload) ? bytesOfElements(payload) : bytesOfProperties(payload)
}

/** By index: `for in` lists all keys of an array first, which takes three times as long as its clone. */
function bytesOfElements(array: readonly unknown[]): number {
  let sum = 0
  try {
    for (let at = 0; at < array.length && at < MAX_LOOKED_AT; at++) sum += bytesOf(array[at])
  } catch {
    // A getter or a Proxy threw. The clone will report it.
  }
  return sum
}

/**
 * For a large object, `for in` lists all keys first, which takes a fifth of the time of its clone. JavaScript cannot
 * list a few.
 */
function bytesOfProperties(payload: object): number {
  let sum = 0
  let looked = 0
  try {
    for (const name in payload) {
      if (++looked > MAX_LOOKED_AT) break
      sum += bytesOf((payload as Record<string, unknown>)[name])
    }
  } catch {
    // A getter or a Proxy that throws: the clone will say so.
  }
  return sum
}
