/** All messages other than batches. They are rare, so they are plain objects. */

import type { MessagePort } from 'node:worker_threads'
import type { TaskKind } from './batch.js'
import type { WireError } from './error-transfer.js'
import type { Shapes } from './small-tree.js'

/** evenkeel's part of a thread's `workerData`. */
export interface ThreadSettings {
  readonly slot: number
  /** URL or bare specifier of the task module. */
  readonly moduleUrl: string
  readonly ioWindow: number
  /** See `thread-mark.ts`. */
  readonly depth: number
  /** Whether the thread's output is sent to the dispatcher. */
  readonly capturesOutput: boolean
  /** Whether the row has the heap's size after every task, because there is a limit to compare it with. */
  readonly reportsHeap: boolean
}

/** The key of our settings in `workerData`. The entry then restores the user's own `workerData`. */
export const SETTINGS_KEY = 'evenkeel:settings'

export interface ThreadWorkerData {
  readonly [SETTINGS_KEY]: ThreadSettings
  readonly user: unknown
}

/** A thread's first message, over `parentPort`: the lane's port and the board of this life. */
export interface Hello {
  readonly type: 'evenkeel:hello'
  readonly port: MessagePort
  readonly board: SharedArrayBuffer
}

/** The number of items that a stream may send before the caller has taken one. */
export const STREAM_CREDITS = 16

/** A call that a thread must run before its first task. */
export interface ReplayedCall {
  readonly name: string
  readonly payload: unknown
}

export type OutputStream = 'stdout' | 'stderr'

export type WorkerControl =
  /** The task module is imported. Its `setup` is called next. */
  | { readonly type: 'imported' }
  | { readonly type: 'loaded'; readonly names: readonly string[]; readonly kinds: readonly TaskKind[] }
  | { readonly type: 'loadFailed'; readonly error: WireError }
  /** A value from the running task `key`. `position` is the number of its items and progress values before this one. */
  | { readonly type: 'progress' | 'item'; readonly key: number; readonly position: number; readonly value: unknown }
  /** Shapes of objects that the worker adds to those it has told. Results on the board refer to them by their number. */
  | { readonly type: 'shapes'; readonly shapes: Shapes }
  /** The dispatcher's message of this number, counted from 1, could not be read. */
  | { readonly type: 'unreadable'; readonly message: number; readonly error: WireError }
  /** The thread printed `text`. `key` is that of the running task, or -1 if none is known. */
  | { readonly type: 'output'; readonly stream: OutputStream; readonly key: number; readonly text: string }
  /** An exception or rejection outside any task's promise. The thread is ending. */
  | { readonly type: 'uncaught'; readonly key: number; readonly error: WireError }
  /** The calls of a `replay` were run, up to the first failure. */
  | { readonly type: 'replayed'; readonly error?: WireError }
  | { readonly type: 'stopped'; readonly error?: WireError }

export type DispatcherControl =
  /** The running task `key` is asked to end. */
  | { readonly type: 'abort'; readonly key: number; readonly reason: WireError }
  /** The caller has taken `count` items of the running task `key`. */
  | { readonly type: 'credit'; readonly key: number; readonly count: number }
  /** Run these calls before the first task, then answer `replayed`. */
  | { readonly type: 'replay'; readonly calls: readonly ReplayedCall[] }
  /** Run `teardown`; answer `stopped` once the output was taken. Do not wait for that if the thread is `unheard`. */
  | { readonly type: 'stop'; readonly unheard?: boolean }
