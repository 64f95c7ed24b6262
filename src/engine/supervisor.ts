/** What the engine needs of whoever keeps threads: start one, hear of it, end it. */

import type { MessagePort, ResourceLimits } from 'node:worker_threads'
import type { ThreadWorkerData } from '../protocol/control.js'

/** Node's own thread options, passed through. */
export interface ThreadOptions {
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
  /** What was thrown outside a task, or Node's own error such as `ERR_WORKER_OUT_OF_MEMORY`. */
  readonly error?: unknown
}

export interface ThreadEvents {
  /** The thread runs and sends its lane's port and board; at most once. */
  hello(port: MessagePort, board: SharedArrayBuffer): void
  /** The thread is gone; exactly once, and nothing after it. What it posted before can still be read from the port. */
  exit(cause: ExitCause): void
}

export interface Thread {
  readonly threadId: number
  /** Ends the thread wherever it stands; `exit` follows, unless native code blocks it for ever. */
  terminate(): void
  /** Share of its time, 0..1, that the thread's event loop was busy since the last call; read without its help. */
  utilisation(): number
}

export interface Supervisor {
  /** Starts a thread at once. Throws what Node throws for options that it refuses. */
  spawn(workerData: ThreadWorkerData, options: ThreadOptions, events: ThreadEvents): Thread
}
