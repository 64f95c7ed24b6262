/** From a call to an accepted task: its arguments checked, its promise made. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { checkString } from '../base/checks.js'
import type { Clock } from '../base/clock.js'
import { queueMicrotask } from '../base/timers.js'
import { abortError } from './abort-signals.js'
import type { Closing } from './closing.js'
import type { DispatchCore } from './dispatch-core.js'
import { closedError } from './losses.js'
import { payloadBytes } from './payload-size.js'
import { type CallOptions, checkRunOptions, NO_OPTIONS, type RunOptions } from './run-options.js'
import { SharedRuns } from './shared-runs.js'
import { copyOptions, Task, type TaskOptions } from './task.js'

/**
 * Calls without options that share one reading of the clock, within one turn. Nothing but statistics and ageing counts
 * from their time; a reading costs such a call 5 % (50 ns).
 */
const SUBMITS_PER_CLOCK_READ = 32

export class Submission {
  readonly #core: DispatchCore
  readonly #closing: Closing
  readonly #clock: Clock
  readonly #shared = new SharedRuns()
  #submitMs = 0
  #submitsLeft = 0
  readonly #defaults: Readonly<CallOptions>

  /** @param defaults what a call takes that does not say otherwise */
  constructor(core: DispatchCore, closing: Closing, clock: Clock, defaults: Readonly<CallOptions>) {
    this.#core = core
    this.#closing = closing
    this.#clock = clock
    this.#defaults = defaults
  }

  /** What a caller asks for, unchecked. */
  run(name: unknown, payload: unknown, options: RunOptions | undefined): Promise<unknown> {
    if (options === undefined) return this.#start(name, payload, this.#defaults)
    let copy: CallOptions
    try {
      copy = checkRunOptions(options, undefined, this.#defaults)
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
        this.#core.accept(task)
      } catch (error) {
        this.#core.ledger.refuse(task.stats.tally)
        reject(error)
      }
    })
  }

  #refused(name: unknown, error: unknown): Promise<never> {
    const { ledger, names } = this.#core
    ledger.refuse(names.tallyOf(name))
    return Promise.reject(error)
  }

  #runShared(name: unknown, payload: unknown, options: CallOptions): Promise<unknown> {
    try {
      const { share, signal } = options
      if (this.#closing.isClosing) throw closedError()
      if (signal?.aborted) throw abortError(signal)
      const start = (all: AbortSignal) => this.#start(name, payload, copyOptions(options, { signal: all }))
      return this.#shared.run(checkString('name', name), share!, signal, start)
    } catch (error) {
      return this.#refused(name, error)
    }
  }

  #newTask(name: unknown, payload: unknown, options: TaskOptions): Task {
    if (this.#closing.isClosing) throw closedError()
    if (options.signal?.aborted) throw abortError(options.signal)
    const stats = this.#core.names.statsOf(checkString('name', name))
    const task = new Task(
      stats,
      payload,
      options === NO_OPTIONS ? options : this.#prepared(options),
      // A limit counts from the call itself, whatever the caller did since the one before.
      options === NO_OPTIONS ? this.#sharedNow() : this.#clock.nowMs(),
      this.#core.entrance.nextSequence++,
    )
    task.payloadBytes = payloadBytes(payload)
    return task
  }

  #sharedNow(): number {
    if (this.#submitsLeft-- > 0) return this.#submitMs
    this.#submitMs = this.#clock.nowMs()
    this.#submitsLeft = SUBMITS_PER_CLOCK_READ - 1
    queueMicrotask(() => {
      this.#submitsLeft = 0
    })
    return this.#submitMs
  }

  /** Progress is told in the asynchronous context of the call. */
  #prepared(options: TaskOptions): TaskOptions {
    const { onProgress, gate } = options
    if (gate !== undefined) this.#core.entrance.gates.of(gate)
    return onProgress === undefined ? options : copyOptions(options, { onProgress: AsyncLocalStorage.bind(onProgress) })
  }
}
