/** One listener per signal, however many tasks share it; it leaves with the signal's last task. */

import { EvenkeelError } from '../base/errors.js'
import type { Task } from './task.js'

interface Watched {
  readonly tasks: Set<Task>
  readonly listener: () => void
}

export class AbortSignals {
  readonly #watched = new Map<AbortSignal, Watched>()
  readonly #onAbort: (task: Task, error: EvenkeelError) => void

  constructor(onAbort: (task: Task, error: EvenkeelError) => void) {
    this.#onAbort = onAbort
  }

  /** Signals that are listened to. */
  get size(): number {
    return this.#watched.size
  }

  /** The signal must not have fired yet. */
  add(signal: AbortSignal, task: Task): void {
    let watched = this.#watched.get(signal)
    if (watched === undefined) {
      const tasks = new Set<Task>()
      const listener = () => {
        this.#watched.delete(signal)
        // One error for all: building a stack each would block the caller for seconds at 60,000 tasks.
        const error = abortError(signal)
        for (const aborted of tasks) this.#onAbort(aborted, error)
      }
      watched = { tasks, listener }
      this.#watched.set(signal, watched)
      signal.addEventListener('abort', listener, { once: true })
    }
    watched.tasks.add(task)
  }

  remove(signal: AbortSignal, task: Task): void {
    const watched = this.#watched.get(signal)
    if (watched === undefined) return
    watched.tasks.delete(task)
    if (watched.tasks.size > 0) return
    this.#watched.delete(signal)
    signal.removeEventListener('abort', watched.listener)
  }
}

export function abortError(signal: AbortSignal): EvenkeelError {
  return new EvenkeelError('EVENKEEL_ABORTED', 'the task was aborted', { cause: signal.reason })
}
