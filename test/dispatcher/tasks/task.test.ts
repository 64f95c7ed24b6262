import { describe, expect, test } from 'vitest'
import { NO_OPTIONS } from '../../../src/dispatcher/options/run-options.js'
import { Task } from '../../../src/dispatcher/tasks/task.js'
import { TaskStats } from '../../../src/dispatcher/tasks/task-stats.js'
import { newTask } from '../../support/new-task.js'

describe('a task', () => {
  test('starts out in no place, held by nobody, at its first attempt', () => {
    const task = new Task(new TaskStats('resize'), { path: 'a' }, NO_OPTIONS, 12, 7)
    expect(task).toMatchObject({
      name: 'resize',
      kind: 'cpu',
      countedAs: 'cpu',
      payload: { path: 'a' },
      place: 'none',
      slot: -1,
      key: -1,
      attempt: 1,
      crashes: 0,
      limitIndex: -1,
      ending: undefined,
      priority: 0,
      limited: false,
      wantsProgress: false,
      transfer: undefined,
      submittedMs: 12,
      sequence: 7,
    })
  })

  test('is of the kind that its name has, also when that becomes known later', () => {
    const task = newTask()
    task.stats.kind = 'io'
    expect(task.kind).toBe('io')
    expect(task.countedAs).toBe('cpu')
  })

  test.each([{ runTimeoutMs: 1 }, { queueTimeoutMs: 1 }, { deadlineMs: 0 }])('is limited by %j', (options) => {
    expect(newTask({ options }).limited).toBe(true)
  })

  test('knows what its options ask for', () => {
    const buffer = new ArrayBuffer(1)
    const task = newTask({ options: { priority: 4, transfer: [buffer], onProgress: () => {} } })
    expect(task).toMatchObject({ priority: 4, transfer: [buffer], wantsProgress: true, limited: false })
  })
})
