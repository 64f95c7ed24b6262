/** Runs what was broadcast before this thread started: each call once, in order, before the first task. */

import type { ReplayedCall } from '../src/protocol/control.js'
import type { TaskContext } from './task-context.js'
import type { TaskModule } from './task-registry.js'

/** The context of such a call: there is no caller that could abort it or receive its progress. */
function contextOf(slot: number): Pick<TaskContext, 'signal' | 'aborted' | 'slot' | 'attempt' | 'progress'> {
  return { signal: new AbortController().signal, aborted: false, slot, attempt: 1, progress: () => {} }
}

/** Runs the calls one after the other; rejects with what the first that fails throws. */
export async function replay(module: TaskModule, calls: readonly ReplayedCall[], slot: number): Promise<void> {
  for (const { name, payload } of calls) {
    const task = module.tasks.find((each) => each.name === name)
    if (task === undefined) throw new TypeError(`"${name}" was broadcast, and the module exports no such task`)
    await task.run(payload, contextOf(slot) as TaskContext)
  }
}
