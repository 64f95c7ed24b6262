/**
 * Marks evenkeel's own threads with their depth. Without it, a task module that makes a pool of itself at import would
 * start threads that import it and start threads, without end.
 */

import * as threads from 'node:worker_threads'
import { SETTINGS_KEY, type ThreadWorkerData } from './control.js'

// A registered symbol on the global object, so that every copy of the library in the thread sees it.
const MARK = Symbol.for('evenkeel.thread')

export interface ThreadMark {
  /** 1 in a worker of the main thread's dispatcher, 2 in a worker of a dispatcher in such a worker, and so on. */
  readonly depth: number
  /** True until the task module has been imported. Until then no task runs. */
  loading: boolean
}

type Marked = { [MARK]?: ThreadMark }

/** Called by the thread entry. */
export function markThread(depth: number): ThreadMark {
  const mark: ThreadMark = { depth, loading: true }
  ;(globalThis as Marked)[MARK] = mark
  return mark
}

/** Undefined outside evenkeel's threads. */
export function threadMark(): ThreadMark | undefined {
  const mark = (globalThis as Marked)[MARK]
  if (mark !== undefined) return mark
  // A preload (`--import`, `-r`) runs before the thread entry.
  const data = threads.workerData as Partial<ThreadWorkerData> | null | undefined
  const settings = typeof data === 'object' && data !== null ? data[SETTINGS_KEY] : undefined
  return settings === undefined ? undefined : { depth: settings.depth, loading: true }
}
