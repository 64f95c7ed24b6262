/**
 * What a thread still says when it ends: its finished answers, and whose code brought it down. `terminate()` runs
 * none of this; then the dispatcher has the claim words and the index of the running task.
 */

import type { AsyncLocalStorage } from 'node:async_hooks'
import type { RowWriter } from '../src/board/row-writer.js'
import type { WorkerControl } from '../src/protocol/control.js'
import { encodeThrown } from './encode-thrown.js'
import type { Executor } from './executor.js'
import type { TaskContext } from './task-context.js'

/** Nobody's task: code that outlived its task, or the module itself. */
const NOBODY = -1

interface Parts {
  owner: AsyncLocalStorage<TaskContext>
  row: RowWriter
  executor: Executor
  say: (message: WorkerControl) => void
}

export function installLastWords({ owner, row, executor, say }: Parts): void {
  let named = false
  const nameCulprit = (): number => {
    const context = owner.getStore()
    const culprit = context?.running === true ? context.key + 1 : NOBODY
    // The first cause counts: an exception handler of the module may go on to call process.exit().
    if (!named) row.culprit(culprit)
    named = true
    return culprit
  }

  // A monitor only watches: a handler that the module installs, and Node's own default, work as ever.
  process.on('uncaughtExceptionMonitor', (error) => {
    const culprit = nameCulprit()
    executor.flush()
    say({ type: 'uncaught', key: culprit - 1, error: encodeThrown(error) })
  })
  process.on('exit', () => {
    nameCulprit()
    executor.flush()
  })
}
