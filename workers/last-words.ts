/**
 * The last messages of a thread that ends: its finished answers, and the task whose code ended it. `terminate()` runs
 * none of this; then the dispatcher goes by the claim words and the index of the running task.
 */

import type { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from '../src/base/timers.js'
import type { RowWriter } from '../src/board/row-writer.js'
import type { WorkerControl } from '../src/protocol/control.js'
import { encodeThrown } from './encode-thrown.js'

/** No task: the code outlived its task, or belongs to the module itself. */
const NOBODY = -1
/** Not known: no JavaScript ran at the end, or the exception lost its context (in Node 20's `queueMicrotask`). */
const UNKNOWN = 0

/** The owner of running code: a task's context, or the module. */
export interface Owner {
  readonly key: number
  /** False once the task settled, and for the module. */
  readonly running: boolean
}

/** The owner of what the module starts while it loads: timers, sockets, listeners. */
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

  // A monitor only watches: the module's own handlers and Node's default work as before.
  process.on('uncaughtExceptionMonitor', (error) => {
    // The first cause counts: the module's exception handler may throw again, or call process.exit().
    if (fault !== undefined) return
    fault = { error, culprit: culpritNow() }
    row.culprit(fault.culprit)
    // If the event loop turns again, the module's handler has kept the thread alive, and nothing has ended it.
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
