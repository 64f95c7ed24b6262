import { onTestFinished } from 'vitest'
import type { TaskContext } from '../../workers/task-context.js'
import type { TaskFunction } from '../../workers/task-registry.js'
import { DrivenExecutor } from './driven-executor.js'

/** Tasks whose ends and lengths the test decides. */
export function newExecutor(io: readonly string[] = ['fetch', 'sum'], ioWindow = 4, isKnown = true) {
  const started: unknown[] = []
  const contexts: TaskContext[] = []
  const ends = new Map<unknown, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>()
  const waits: TaskFunction = (payload, context) => {
    started.push(payload)
    contexts.push(context)
    return new Promise((resolve, reject) => ends.set(payload, { resolve, reject }))
  }
  const driven: DrivenExecutor = new DrivenExecutor(
    {
      echo(payload) {
        started.push(payload)
        return payload
      },
      /** Takes as long as it is told, of the fake clock's time. */
      spend(ms) {
        started.push(ms)
        driven.clock.block(ms as number)
        return ms
      },
      fail(payload) {
        throw payload
      },
      call(payload, context) {
        started.push(payload)
        return call.body(payload, context)
      },
      hold: waits,
      fetch: waits,
      sum(ms) {
        started.push(ms)
        driven.clock.block(ms as number)
        return ms
      },
    },
    io,
    ioWindow,
    isKnown,
  )
  const call: { body: TaskFunction } = { body: () => undefined }
  onTestFinished(() => driven.close())
  return { driven, started, contexts, ends, call }
}
