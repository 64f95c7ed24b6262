import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { AbortSignals, abortError } from '../../../src/dispatcher/settling/abort-signals.js'
import type { Task } from '../../../src/dispatcher/tasks/task.js'
import { newTask, newTasks } from '../../support/new-task.js'

function watch() {
  const aborted: { task: Task; error: Error }[] = []
  const signals = new AbortSignals((task, error) => aborted.push({ task, error }))
  return { aborted, signals }
}

describe('signals of tasks', () => {
  test('ten thousand tasks of one signal add one listener, and the last to leave takes it away', () => {
    const { signals } = watch()
    const { signal } = new AbortController()
    const tasks = newTasks(10_000)
    for (const task of tasks) signals.add(signal, task)
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    const last = tasks.pop()!
    for (const task of tasks) signals.remove(signal, task)
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    signals.remove(signal, last)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    expect(signals.size).toBe(0)
  })

  test('all tasks of a signal that fires hear of it once, with one error between them', () => {
    const { aborted, signals } = watch()
    const [one, other] = [new AbortController(), new AbortController()]
    const tasks = newTasks(3)
    for (const task of tasks) signals.add(one.signal, task)
    signals.add(other.signal, newTask())
    one.abort('enough')
    expect(aborted.map(({ task }) => task)).toEqual(tasks)
    expect(new Set(aborted.map(({ error }) => error)).size).toBe(1)
    expect(signals.size).toBe(1)
    expect(getEventListeners(one.signal, 'abort')).toHaveLength(0)
  })

  test('a task that left is not told', () => {
    const { aborted, signals } = watch()
    const controller = new AbortController()
    const [gone, stays] = newTasks(2)
    for (const task of [gone!, stays!]) signals.add(controller.signal, task)
    signals.remove(controller.signal, gone!)
    controller.abort()
    expect(aborted.map(({ task }) => task)).toEqual([stays])
  })

  test('those who hear of it may settle, and so leave, each other', () => {
    const controller = new AbortController()
    const tasks = newTasks(3)
    const heard: Task[] = []
    const signals = new AbortSignals((task) => {
      heard.push(task)
      for (const each of tasks) signals.remove(controller.signal, each)
    })
    for (const task of tasks) signals.add(controller.signal, task)
    controller.abort()
    expect(heard).toEqual(tasks)
    expect(signals.size).toBe(0)
  })

  test('several pools together add one listener to a signal', () => {
    const [one, other] = [watch(), watch()]
    const controller = new AbortController()
    const [mine, theirs] = newTasks(2)
    one.signals.add(controller.signal, mine!)
    other.signals.add(controller.signal, theirs!)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
    one.signals.remove(controller.signal, mine!)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
    controller.abort()
    expect(one.aborted).toEqual([])
    expect(other.aborted.map(({ task }) => task)).toEqual([theirs])
    expect([one.signals.size, other.signals.size]).toEqual([0, 0])
  })

  test('removing a task of an unknown signal does nothing', () => {
    const { signals } = watch()
    signals.remove(new AbortController().signal, newTask())
    expect(signals.size).toBe(0)
  })
})

test('the error has the platform name, a code, and the reason as its cause', () => {
  const reason = new Error('user went away')
  expect(abortError(AbortSignal.abort(reason))).toMatchObject({
    name: 'AbortError',
    code: 'EVENKEEL_ABORTED',
    cause: reason,
    retryable: false,
  })
})
