/** From a call to an accepted task: its arguments checked, its promise made. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { checkString } from '../../base/checks.js'
import type { Clock } from '../../base/clock.js'
import { queueMicrotask } from '../../base/timers.js'
import { type CallOptions, checkRunOptions, NO_OPTIONS, type RunOptions } from '../options/run-options.js'
import type { GateKeeper } from '../places/gate-keeper.js'
import { abortError } from '../settling/abort-signals.js'
import type { Ledger } from '../settling/ledger.js'
import { closedError } from '../settling/losses.js'
import { copyOptions, Task, type TaskOptions } from '../tasks/task.js'
import type { TaskNames } from '../tasks/task-names.js'
import type { Arrivals } from './arrivals.js'
import { payloadBytes } from './payload-size.js'
import { SharedRuns } from './shared-runs.js'

/**
 * Calls without options that share one reading of the clock, within one turn. Nothing but statistics and ageing counts
 * from their time; a reading costs such a call 5 % (50 ns).
 */
const SUBMITS_PER_CLOCK_READ = 32

export interface SubmissionParts {
  readonly names: TaskNames
  readonly ledger: Ledger
  readonly gates: GateKeeper
  readonly arrivals: Arrivals
  readonly clock: Clock
  /** What a call takes that does not say otherwise. */
  readonly defaults: Readonly<CallOptions>
  /** Aborted when the dispatcher takes no more tasks. */
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

  /** What a caller asks for, unchecked. */
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

  /** The same with options that are checked, or the dispatcher's own. */
  start(name: unknown, payload: unknown, options: TaskOptions, made?: (task: Task) => void): Promise<unknown> {
    return this.#start(name, payload, copyOptions(options), made)
  }

  /** Nobody changes `options` any more. */
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
      // A limit counts from the call itself, whatever the caller did since the one before.
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

  /** Progress is told in the asynchronous context of the call. */
  #prepared(options: TaskOptions): TaskOptions {
    const { onProgress, gate } = options
    if (gate !== undefined) this.#parts.gates.of(gate)
    return onProgress === undefined ? options : copyOptions(options, { onProgress: AsyncLocalStorage.bind(onProgress) })
  }
}
