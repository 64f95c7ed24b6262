/** The second argument of a task. */

import { ABORTING, DOOMED, stateOf } from '../src/board/claims.js'
import { decodeError, type WireError } from '../src/protocol/error-transfer.js'

/** The parts of a context that are the same for all tasks of the thread. */
export interface ContextHost {
  readonly slot: number
  readonly claims: Int32Array
  progress(key: number, value: unknown): void
}

export class TaskContext {
  /** The number of this attempt: 1, or more when the caller asked for retries. */
  readonly attempt: number
  readonly #host: ContextHost
  readonly #key: number
  readonly #wantsProgress: boolean
  #reason: WireError | undefined
  #controller: AbortController | undefined
  /** False once the task settled. An exception thrown later has no owner. */
  running = true

  constructor(host: ContextHost, key: number, attempt: number, wantsProgress: boolean) {
    this.#host = host
    this.#key = key
    this.attempt = attempt
    this.#wantsProgress = wantsProgress
  }

  get key(): number {
    return this.#key
  }

  /** Slot of the worker that runs the task. */
  get slot(): number {
    return this.#host.slot
  }

  /**
   * True once the caller aborted the task or a limit passed. Read from shared memory, so a synchronous loop sees it
   * too.
   */
  get aborted(): boolean {
    if (!this.running) return false
    const state = stateOf(this.#host.claims, this.#key)
    return state === ABORTING || state === DOOMED
  }

  /** Fires when the caller aborts the task or a limit passes. The event loop must turn for that. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#reason !== undefined) this.#controller.abort(decodeError(this.#reason))
      else if (this.aborted) this.#controller.abort()
    }
    return this.#controller.signal
  }

  /**
   * Sends a value, or one of `transfer`, to the caller's `onProgress` before the result. Does nothing without a
   * listener.
   */
  progress(value: unknown): void {
    if (this.#wantsProgress && this.running) this.#host.progress(this.#key, value)
  }

  /** Called by the executor when the dispatcher asks the task to end. */
  abort(reason: WireError): void {
    this.#reason = reason
    this.#controller?.abort(decodeError(reason))
  }
}
