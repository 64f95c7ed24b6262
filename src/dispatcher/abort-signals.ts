/** One listener per signal, however many tasks share it; it leaves with the signal's last task. */

import { EvenkeelError } from '../base/errors.js'
import type { Task } from './task.js'

/**
 * One real listener per signal in the whole process: a server-wide signal used by a dozen dispatchers would draw
 * Node's warning about a leak.
 */
const fans = new WeakMap<AbortSignal, { readonly listeners: Set<() => void>; readonly fan: () => void }>()

/** Calls back once the signal fires, unless `removeListener` comes before; it must not have fired yet. */
export function addListener(signal: AbortSignal, listener: () => void): void {
  const known = fans.get(signal)
  if (known !== undefined) {
    known.listeners.add(listener)
    return
  }
  const listeners = new Set([listener])
  const fan = () => {
    fans.delete(signal)
    // Not by `once`: a polyfill's signal may not know it.
    signal.removeEventListener('abort', fan)
    for (const each of listeners) each()
  }
  signal.addEventListener('abort', fan)
  fans.set(signal, { listeners, fan })
}

export function removeListener(signal: AbortSignal, listener: () => void): void {
  const known = fans.get(signal)
  if (known === undefined) return
  known.listeners.delete(listener)
  if (known.listeners.size > 0) return
  fans.delete(signal)
  signal.removeEventListener('abort', known.fan)
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
      addListener(signal, listener)
      this.#watched.set(signal, watched)
    }
    watched.tasks.add(task)
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
  return new EvenkeelError('EVENKEEL_ABORTED', 'the task was aborted', { cause: signal.reason })
}
