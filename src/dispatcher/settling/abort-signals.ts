/** One listener per signal, however many tasks share it; it leaves with the signal's last task. */

import { EvenkeelError } from '../../base/errors.js'
import type { Task } from '../tasks/task.js'

/**
 * One real listener per signal in the whole process: a server-wide signal used by a dozen dispatchers would draw
 * Node's warning about a leak.
 */
const fans = new WeakMap<AbortSignal, { readonly listeners: Set<() => void>; readonly fan: () => void }>()

/**
 * Calls back once the signal fires, unless `removeListener` comes before; at once when it has fired. Throws what a signal
 * of the caller's own making throws, and does not call back then.
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
  // First, for a signal of the caller's own making may call back right away.
  fans.set(signal, { listeners, fan })
  try {
    // Not by `once`: a polyfill's signal may not know it.
    signal.addEventListener('abort', fan)
    // Between the caller's look and ours, code that is not ours may have fired it.
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
    // A listener that stays is called at most once more, and does nothing then.
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

  /** Throws what a signal of the caller's own making throws; the task is not watched then. */
  add(signal: AbortSignal, task: Task): void {
    const watched = this.#watched.get(signal)
    if (watched !== undefined) {
      watched.tasks.add(task)
      return
    }
    const tasks = new Set([task])
    const listener = () => {
      this.#watched.delete(signal)
      // One error for all: building a stack each would block the caller for seconds at 60,000 tasks.
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

/** Why the signal fired: what it says, or what its own getter throws. */
export function reasonOf(signal: AbortSignal): unknown {
  try {
    return signal.reason
  } catch (error) {
    return error
  }
}
