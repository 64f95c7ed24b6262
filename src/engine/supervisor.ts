/** The interface of the thread supervisor: start a thread, hear of it, end it. */

import type { MessagePort, ResourceLimits, Worker } from 'node:worker_threads'
import type { ThreadWorkerData } from '../protocol/control.js'

/** How threads are started: Node's own options, and the thread's file. */
export interface ThreadOptions {
  /** Path of evenkeel's one file for threads. Undefined: the files beside evenkeel. */
  readonly threadFile?: string
  readonly resourceLimits?: ResourceLimits
  readonly env?: NodeJS.ProcessEnv
  readonly argv?: readonly string[]
  readonly execArgv?: readonly string[]
  readonly niceIncrement?: number
  readonly trackUnmanagedFds?: boolean
}

/** Why a thread ended. */
export interface ExitCause {
  readonly exitCode: number
  /** The error thrown outside a task, or Node's own, such as `ERR_WORKER_OUT_OF_MEMORY`. */
  readonly error?: unknown
}

export interface ThreadEvents {
  /** Code in the thread posted something to its `parentPort`. */
  message(message: unknown): void
  /** The thread runs and sends its lane's port and board. At most once. */
  hello(port: MessagePort, board: SharedArrayBuffer): void
  /** The thread is gone. Exactly once, and the last event. What it posted before can still be read from the port. */
  exit(cause: ExitCause): void
}

export interface LoopTime {
  readonly idle: number
  readonly active: number
}

/** Share of the time between two readings that the event loop was busy, 0..1. 1 when there is no time between them. */
export function loopUtilisation(from: LoopTime, to: LoopTime): number {
  const activeMs = to.active - from.active
  const totalMs = activeMs + to.idle - from.idle
  // The differences can be negative for an idle thread (nodejs/node#40525).
  return totalMs > 0 ? Math.min(1, Math.max(0, activeMs / totalMs)) : 1
}

export interface Thread {
  readonly threadId: number
  /** Node's own object, once there is one. */
  readonly worker: Worker | undefined
  /** False when the stream that takes the thread's output is broken. */
  readonly isHeard: boolean
  /** Ends the thread, whatever it does. `exit` follows, unless native code blocks it for ever. */
  terminate(): void
  /** How the thread's event loop has spent its time so far. Read without the thread's help, in about 0.2 µs. */
  loopTime(): LoopTime
}

export interface Supervisor {
  /**
   * Starts a thread, at once or as soon as fewer are booting. Never throws: if Node refuses, `exit` follows with its
   * error.
   */
  spawn(workerData: ThreadWorkerData, options: ThreadOptions, events: ThreadEvents): Thread
}
