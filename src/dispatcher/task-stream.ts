/** The items of a task that yields them, pulled by a loop over them. */

import { readNow } from '../base/checks.js'
import { STREAM_CREDITS } from '../protocol/control.js'
import { type CallOptions, checkRunOptions, type RunOptions } from './options/run-options.js'
import { abortError, addListener, reasonOf, removeListener } from './settling/abort-signals.js'
import type { Task, TaskOptions } from './tasks/task.js'

/** Options of `Dispatcher.stream`. There are no retries: items that were yielded cannot be taken back. */
export type StreamOptions = Omit<RunOptions, 'retries' | 'share'>

/** Credits are returned when half are used up, so the worker never waits for one while the loop keeps pace. */
const CREDITS_AT_ONCE = STREAM_CREDITS / 2

const STREAM_KEYS: readonly (keyof StreamOptions)[] = [
  'priority',
  'runTimeoutMs',
  'queueTimeoutMs',
  'deadlineMs',
  'signal',
  'key',
  'transfer',
  'onProgress',
  'tag',
  'delayMs',
  'gate',
]

export interface StreamParts {
  /** Starts the task; `made` is called with it before it is accepted. */
  start(options: TaskOptions, made: (task: Task) => void): Promise<unknown>
  /** Lets the worker send so many further items. */
  credit(task: Task, count: number): void
  /** The pool's. */
  readonly defaults: Readonly<CallOptions>
}

/** Options are read at the call; the first pull throws if they are invalid. */
export function streamItems(parts: StreamParts, given: unknown): AsyncGenerator<unknown, void, undefined> {
  return itemsOf(
    parts,
    readNow(() => checkRunOptions(given, STREAM_KEYS, parts.defaults)),
  )
}

/** Starts at the first pull. However the loop ends, the task has ended when the generator has. */
async function* itemsOf(parts: StreamParts, read: () => CallOptions): AsyncGenerator<unknown, void, undefined> {
  const options = read()
  const { signal } = options
  if (signal?.aborted) throw abortError(signal)
  const items: unknown[] = []
  const abort = new AbortController()
  const follow = () => abort.abort(reasonOf(signal!))
  let task: Task | undefined
  let outcome: { readonly failed: boolean; readonly error?: unknown } | undefined
  let wake = () => {}
  const onItem = (item: unknown) => {
    items.push(item)
    wake()
  }
  const end = (how: typeof outcome) => {
    outcome = how
    wake()
  }
  if (signal !== undefined) addListener(signal, follow)
  const ended = parts
    .start({ ...options, signal: abort.signal, onItem }, (made) => {
      task = made
    })
    .then(
      () => end({ failed: false }),
      (error: unknown) => end({ failed: true, error }),
    )
  let taken = 0
  try {
    for (;;) {
      if (items.length > 0) {
        yield items.shift()
        if (++taken < CREDITS_AT_ONCE) continue
        parts.credit(task!, taken)
        taken = 0
      } else if (outcome === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      } else if (outcome.failed) throw outcome.error
      else return
    }
  } finally {
    if (signal !== undefined) removeListener(signal, follow)
    abort.abort()
    await ended
  }
}
