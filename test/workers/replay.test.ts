import { expect, test } from 'vitest'
import { replay } from '../../workers/replay.js'
import { RunTimes } from '../../workers/run-times.js'
import type { TaskContext } from '../../workers/task-context.js'
import type { TaskModule } from '../../workers/task-registry.js'

const heard: unknown[] = []

function moduleOf(tasks: Record<string, (payload: unknown, context: TaskContext) => unknown>): TaskModule {
  const names = Object.keys(tasks)
  const kinds = names.map(() => 'cpu' as const)
  return {
    names,
    kinds,
    tasks: names.map((name) => ({ name, kind: 'cpu', run: tasks[name]!, runTimes: new RunTimes() })),
  }
}

test('calls run one after the other, each to its end', async () => {
  heard.length = 0
  const module = moduleOf({
    slow: async (payload) => {
      await new Promise(setImmediate)
      heard.push(payload)
    },
    quick: (payload, context) => {
      context.progress('nobody hears')
      heard.push([payload, context.slot, context.attempt, context.aborted, context.signal.aborted])
    },
  })
  const calls = [
    { name: 'slow', payload: 1 },
    { name: 'quick', payload: 2 },
  ]
  await replay(module, calls, 3)
  expect(heard).toEqual([1, [2, 3, 1, false, false]])
})

test('the first that fails, or is unknown, ends it', async () => {
  const module = moduleOf({
    fails: () => {
      throw new Error('stop here')
    },
  })
  await expect(replay(module, [{ name: 'fails', payload: 1 }], 0)).rejects.toThrow('stop here')
  await expect(replay(module, [{ name: 'gone', payload: 1 }], 0)).rejects.toThrow('"gone"')
})
