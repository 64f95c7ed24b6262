/** One listener per signal, however many tasks share it; it leaves with the signal's last task. */

import { EvenkeelError } from '../../base/errors.js'
import type { Task } from '../tasks/task.js'

/**
 * One real listener per signal in the whole process. With one per dispatcher, a server-wide signal used by a dozen
 * dispatchers would cause Node's warning about a leak.
 */
const fans = new WeakMap<AbortSignal, { readonly listeners: Set<() => void>; readonly fan: () => void }>()

/**
 * Calls back when the signal fires, or at once if it has fired, unless `removeListener` is called before. A signal
 * implemented by the caller may throw: then this throws the same, and never calls back.
 */
export function addListener(signal: AbortSignal, listener: () => void): void {
  const known = fans.get(signal)
  if (known !== undefined) {
    known.listeners.add(listener)
    return
  }
  const listeners = new Set([listener])
  const fan = () => {
    if (fans.get(signal)?.fan !== fan) return
    fans.delete(signal)
    stopListening(signal, fan)
    for (const each of listeners) each()
  }
  // First, because a signal implemented by the caller may call back at once.
  fans.set(signal, { listeners, fan })
  try {
    // Without `once`, which a polyfill may not know.
    signal.addEventListener('abort', fan)
    // User code may have fired the signal since the caller checked it.
    if (signal.aborted) fan()
  } catch (error) {
    fans.delete(signal)
    throw error
  }
}

function stopListening(signal: AbortSignal, fan: () => void): void {
  try {
    signal.removeEventListener('abort', fan)
  } catch {
    // If removing fails, the listener is called once more at most, and does nothing then.
  }
}

export function removeListener(signal: AbortSignal, listener: () => void): void {
  const known = fans.get(signal)
  if (known === undefined) return
  known.listeners.delete(listener)
  if (known.listeners.size > 0) return
  fans.delete(signal)
  stopListening(signal, known.fan)
}

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

  /** Throws what a signal implemented by the caller throws. Then the task is not watched. */
  add(signal: AbortSignal, task: Task): void {
    const watched = this.#watched.get(signal)
    if (watched !== undefined) {
      watched.tasks.add(task)
      return
    }
    const tasks = new Set([task])
    const listener = () => {
      this.#watched.delete(signal)
      // One error for all tasks: 60,000 stacks would block the caller for seconds.
      const error = abortError(signal)
      for (const aborted of tasks) this.#onAbort(aborted, error)
    }
    this.#watched.set(signal, { tasks, listener })
    try {
      addListener(signal, listener)
    } catch (error) {
      this.#watched.delete(signal)
      throw error
    }
  }

  remove(signal: AbortSignal, task: Task): void {
    const watched = this.#watched.get(signal)
    if (watched === undefined) return
    watched.tasks.delete(task)
    if (watched.tasks.size > 0) return
    this.#watched.delete(signal)
    removeListener(signal, watched.listener)
  }
}

export function abortError(signal: AbortSignal): EvenkeelError {
  return new EvenkeelError('EVENKEEL_ABORTED', 'the task was aborted', { cause: reasonOf(signal) })
}

/** The reason of the signal, or what its getter throws. */
export function reasonOf(signal: AbortSignal): unknown {
  try {
    return signal.reason
  } catch (error) {
    return error
  }
}
