/** Runs that answer several callers: those who ask for the same while it is on its way join instead of starting it again. */

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

  /** @param over called once nobody may join any more */
  constructor(start: (signal: AbortSignal) => Promise<unknown>, over: () => void) {
    this.#over = over
    start(this.#abort.signal).then(
      (value) => this.#settle(({ resolve }) => resolve(value)),
      (reason: unknown) => this.#settle(({ reject }) => reject(reason)),
    )
  }

  /** What the run comes to, unless the caller's own signal, which has not fired yet, does so before. */
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
      // First: a signal of the caller's own making may call back right away.
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

  /** Runs on their way. */
  get size(): number {
    return this.#runs.size
  }

  /**
   * Joins the run of this name and key, or starts it.
   *
   * @param signal the caller's own, not fired yet
   * @param start runs the task under a signal that fires when no caller is left
   */
  run(
    name: string,
    key: string,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<unknown> {
    // JSON keeps name and key apart, whatever either holds.
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
