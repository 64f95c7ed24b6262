/**
 * Runs that answer several callers: a caller that asks for the same name and key joins the run under way, instead of
 * starting another.
 */

import { abortError, addListener, reasonOf, removeListener } from '../settling/abort-signals.js'

interface Caller {
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
  /** Stops listening to the caller's own signal. */
  readonly unfollow: () => void
}

class SharedRun {
  readonly #callers = new Set<Caller>()
  readonly #abort = new AbortController()
  readonly #over: () => void

  /** @param over called when nobody may join any more */
  constructor(start: (signal: AbortSignal) => Promise<unknown>, over: () => void) {
    this.#over = over
    start(this.#abort.signal).then(
      (value) => this.#settle(({ resolve }) => resolve(value)),
      (reason: unknown) => this.#settle(({ reject }) => reject(reason)),
    )
  }

  /** The outcome of the run, unless the caller's own signal fires before it. The signal has not fired yet. */
  join(signal: AbortSignal | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const leave = (error: unknown, reason: unknown) => {
        this.#callers.delete(caller)
        reject(error)
        if (this.#callers.size > 0) return
        this.#over()
        this.#abort.abort(reason)
      }
      const onAbort = () => leave(abortError(signal!), reasonOf(signal!))
      const unfollow = () => signal !== undefined && removeListener(signal, onAbort)
      const caller: Caller = { resolve, reject, unfollow }
      // First, because a signal implemented by the caller may call back at once.
      this.#callers.add(caller)
      try {
        if (signal !== undefined) addListener(signal, onAbort)
      } catch (error) {
        leave(error, error)
      }
    })
  }

  #settle(tell: (caller: Caller) => void): void {
    this.#over()
    for (const caller of this.#callers) {
      caller.unfollow()
      tell(caller)
    }
    this.#callers.clear()
  }
}

export class SharedRuns {
  readonly #runs = new Map<string, SharedRun>()

  /** Runs under way. */
  get size(): number {
    return this.#runs.size
  }

  /**
   * Joins the run of this name and key, or starts it.
   *
   * @param signal the caller's own, not fired yet
   * @param start runs the task with a signal that fires when no caller is left
   */
  run(
    name: string,
    key: string,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<unknown> {
    // JSON, so that no name and key together look like another pair.
    const id = JSON.stringify([name, key])
    const known = this.#runs.get(id)
    if (known !== undefined) return known.join(signal)
    const run: SharedRun = new SharedRun(start, () => {
      if (this.#runs.get(id) === run) this.#runs.delete(id)
    })
    this.#runs.set(id, run)
    return run.join(signal)
  }
}
