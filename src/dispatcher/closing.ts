/**
 * The end of a dispatcher, in numbered steps:
 * 1. No new task is accepted; every later call of `close` gets the first one's promise.
 * 2. Queued and running tasks finish; with `force`, or when the time is up, they are rejected instead. The handlers
 *    of their promises run.
 * 3. Every worker drains: it gets no more work, and runs the module's `teardown`.
 * 4. The threads end. One that native code holds is not waited for beyond the grace time.
 */

import type { Clock } from '../base/clock.js'
import { EvenkeelError } from '../base/errors.js'
import type { DispatchCore } from './dispatch-core.js'
import { closedError } from './settling/losses.js'
import type { Task } from './tasks/task.js'

/** How long the ends of threads are waited for after they were asked for, ms. */
const EXIT_GRACE_MS = 250

export class Closing {
  readonly #core: DispatchCore
  readonly #clock: Clock
  readonly #closing = new AbortController()
  #closed: Promise<void> | undefined
  #force: (() => void) | undefined

  constructor(core: DispatchCore, clock: Clock) {
    this.#core = core
    this.#clock = clock
  }

  get isClosing(): boolean {
    return this.#closed !== undefined
  }

  /** Fires when the close begins, with the error that later calls get. */
  get signal(): AbortSignal {
    return this.#closing.signal
  }

  close(force: boolean, timeoutMs: number): Promise<void> {
    if (this.#closed === undefined) {
      this.#closed = this.#run(timeoutMs)
      this.#closing.abort(closedError())
    }
    // A forced close cuts a patient one short.
    if (force) this.#force?.()
    return this.#closed
  }

  async #run(timeoutMs: number): Promise<void> {
    const forced = new Promise<void>((resolve) => {
      this.#force = resolve
    })
    await this.#within(timeoutMs, Promise.race([this.#core.ledger.idle(), forced]))
    this.#core.rejectAll(closedWhile)
    // The handlers of what was rejected come before the end of the close.
    await this.#core.ledger.idle()
    const gone = this.#core.crew.close()
    // Workers that were still running something will not answer; the others get time for their teardown.
    this.#core.crew.terminateBusy()
    await this.#within(timeoutMs, Promise.race([gone, forced]))
    this.#core.crew.terminateAll()
    await this.#within(EXIT_GRACE_MS, gone)
  }

  /** Waits for the promise, but no longer than `limitMs`. */
  async #within(limitMs: number, promise: Promise<void>): Promise<void> {
    if (limitMs === Number.POSITIVE_INFINITY) return promise
    let stop = () => {}
    const late = new Promise<void>((resolve) => {
      const timer = this.#clock.after(limitMs, resolve)
      stop = () => timer.stop()
    })
    await Promise.race([promise, late])
    stop()
  }
}

function closedWhile(task: Task): Error {
  return new EvenkeelError('EVENKEEL_CLOSED', `the dispatcher was closed before task "${task.name}" was done`, {
    task: task.name,
  })
}
