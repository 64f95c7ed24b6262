/**
 * What a thread still says when it ends: its finished answers, and whose code brought it down. `terminate()` runs
 * none of this; then the dispatcher has the claim words and the index of the running task.
 */

import type { AsyncLocalStorage } from 'node:async_hooks'
import type { RowWriter } from '../src/board/row-writer.js'
import type { WorkerControl } from '../src/protocol/control.js'
import { encodeThrown } from './encode-thrown.js'
import type { TaskContext } from './task-context.js'

/** Nobody's task: code that outlived its task, or the module itself. */
const NOBODY = -1
/** No JavaScript ran at the thread's end. */
const UNKNOWN = 0

interface Parts {
  owner: AsyncLocalStorage<TaskContext>
  row: RowWriter
  executor: { flush(): void }
  say: (message: WorkerControl) => void
}

export function installLastWords({ owner, row, executor, say }: Parts): void {
  const culpritNow = (): number => {
    const context = owner.getStore()
    return context?.running === true ? context.key + 1 : NOBODY
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
