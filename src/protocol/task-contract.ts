/** What a task may rely on in its worker. */

/** What a task gets as its second argument. */
export interface TaskContext {
  /** Fires when the caller aborts the task or a limit passes; needs the event loop to turn. */
  readonly signal: AbortSignal
  /** True once that has happened; read from shared memory, so it is live in a synchronous loop too. */
  readonly aborted: boolean
  /** Slot of the worker that runs the task, from 0. */
  readonly slot: number
  /** Which try this is: 1, or more when the caller asked for retries. */
  readonly attempt: number
  /**
   * Sends a value to the caller's `onProgress`, ahead of the result; does nothing when nobody listens. Moves it when it
   * is one of `transfer`.
   */
  progress(value: unknown): void
}
