/**
 * What a thread still says when it ends: its finished answers, and whose code brought it down. `terminate()` runs
 * none of this; then the dispatcher has the claim words and the index of the running task.
 */

import type { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from '../src/base/timers.js'
import type { RowWriter } from '../src/board/row-writer.js'
import type { WorkerControl } from '../src/protocol/control.js'
import { encodeThrown } from './encode-thrown.js'

/** Nobody's task: code that outlived its task, or the module itself. */
const NOBODY = -1
/** Not known: no JavaScript ran at the end, or the exception lost its context (Node 20 does in `queueMicrotask`). */
const UNKNOWN = 0

/** Whose code runs: a task's context, or the module's own. */
export interface Owner {
  readonly key: number
  /** False once the task settled, and for code of the module that belongs to no task. */
  readonly running: boolean
}

/** Owns what the module does while it loads: its timers, sockets and listeners. */
export const MODULE_OWNER: Owner = { key: -1, running: false }

interface Parts {
  owner: AsyncLocalStorage<Owner>
  row: RowWriter
  executor: { flush(): void }
  say: (message: WorkerControl) => void
}

export function installLastWords({ owner, row, executor, say }: Parts): void {
  const culpritNow = (): number => {
    const context = owner.getStore()
    if (context === undefined) return UNKNOWN
    return context.running ? context.key + 1 : NOBODY
  }
  let fault: { readonly error: unknown; readonly culprit: number } | undefined

  // A monitor only watches: a handler that the module installs, and Node's own default, work as ever.
  process.on('uncaughtExceptionMonitor', (error) => {
    // The first cause counts: an exception handler of the module may throw again, or call process.exit().
    if (fault !== undefined) return
    fault = { error, culprit: culpritNow() }
    row.culprit(fault.culprit)
    // When the loop comes round again, such a handler has kept the thread alive: nobody has ended it.
    setImmediate(() => {
      fault = undefined
      row.culprit(UNKNOWN)
    })
  })
  process.on('exit', () => {
    row.culprit(fault?.culprit ?? culpritNow())
    executor.flush()
    if (fault !== undefined) say({ type: 'uncaught', key: fault.culprit - 1, error: encodeThrown(fault.error) })
  })
}
