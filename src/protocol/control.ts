/** Messages other than batches. They are rare, so they are plain objects. */

import type { MessagePort } from 'node:worker_threads'
import type { TaskKind } from './batch.js'
import type { WireError } from './error-transfer.js'

/** What the thread entry finds in `workerData`, beside what the user put there. */
export interface ThreadSettings {
  readonly slot: number
  /** URL or bare specifier of the task module. */
  readonly moduleUrl: string
  readonly ioWindow: number
  /** See `thread-mark.ts`. */
  readonly depth: number
  /** Whether what the thread prints is told to the dispatcher. */
  readonly capturesOutput: boolean
  /** Whether the row tells the heap's size after every task: somebody compares it with a limit. */
  readonly reportsHeap: boolean
}

/** Under this name `workerData` carries our settings; the entry puts the user's own `workerData` back in place. */
export const SETTINGS_KEY = 'evenkeel:settings'

export interface ThreadWorkerData {
  readonly [SETTINGS_KEY]: ThreadSettings
  readonly user: unknown
}

/** First message of a thread, over `parentPort`: the lane's port and the board of this life. */
export interface Hello {
  readonly type: 'evenkeel:hello'
  readonly port: MessagePort
  readonly board: SharedArrayBuffer
}

/** Items that a stream may send before the caller has taken one. */
export const STREAM_CREDITS = 16

/** A call that a thread has to run before its first task. */
export interface ReplayedCall {
  readonly name: string
  readonly payload: unknown
}

export type OutputStream = 'stdout' | 'stderr'

export type WorkerControl =
  /** The task module is there; its `setup` is called next. */
  | { readonly type: 'imported' }
  | { readonly type: 'loaded'; readonly names: readonly string[]; readonly kinds: readonly TaskKind[] }
  | { readonly type: 'loadFailed'; readonly error: WireError }
  /** What the running task `key` says beside its answer; `position` counts what it said before, from 0. */
  | { readonly type: 'progress' | 'item'; readonly key: number; readonly position: number; readonly value: unknown }
  /** A message could not be read; it was the one of this number, of all that the dispatcher sent, from 1. */
  | { readonly type: 'unreadable'; readonly message: number; readonly error: WireError }
  /** The thread printed; `key` is the running task's, or -1 where none is known. */
  | { readonly type: 'output'; readonly stream: OutputStream; readonly key: number; readonly text: string }
  /** An exception or rejection outside any task's promise; the thread is ending. */
  | { readonly type: 'uncaught'; readonly key: number; readonly error: WireError }
  /** The calls of a `replay` were run, up to the first that failed. */
  | { readonly type: 'replayed'; readonly error?: WireError }
  | { readonly type: 'stopped'; readonly error?: WireError }

export type DispatcherControl =
  /** The running task `key` is asked to end. */
  | { readonly type: 'abort'; readonly key: number; readonly reason: WireError }
  /** The caller has taken so many items of the running task `key`. */
  | { readonly type: 'credit'; readonly key: number; readonly count: number }
  /** Run these before the first task, answer `replayed`. */
  | { readonly type: 'replay'; readonly calls: readonly ReplayedCall[] }
  /** Run `teardown`, and answer `stopped` once what was printed is taken; unless the thread is `unheard`: nobody takes it. */
  | { readonly type: 'stop'; readonly unheard?: boolean }
