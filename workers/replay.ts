/** What was broadcast before this thread came: run once, in order, before its first task. */

import type { ReplayedCall } from '../src/protocol/control.js'
import type { TaskContext } from './task-context.js'
import type { TaskModule } from './task-registry.js'

/** Nobody waits for such a call, so nobody can end it or hear its progress. */
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
