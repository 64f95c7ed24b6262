/** The second argument of a task. */
export interface TaskContext {
  /** Fires when the caller aborts the task or a limit passes. The event loop must turn for that. */
  readonly signal: AbortSignal
  /** True once that has happened. Read from shared memory, so a synchronous loop sees it too. */
  readonly aborted: boolean
  /** Slot of the worker that runs the task, from 0. */
  readonly slot: number
  /** The number of this attempt: 1, or more when the caller asked for retries. */
  readonly attempt: number
  /**
   * Sends a value to the caller's `onProgress` before the result. Does nothing without a listener. A value of
   * `transfer` is moved.
   */
  progress(value: unknown): void
}
