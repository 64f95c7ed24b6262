import { afterEach, expect, test } from 'vitest'
import { isSpent } from '../../../src/dispatcher/crew/spent.js'
import { FakeCrew } from '../../support/fake-crew.js'
import { newTasks } from '../../support/new-task.js'

const NEVER = Number.POSITIVE_INFINITY

let crew: FakeCrew
afterEach(() => crew.dispose())

test('a worker is spent once it has begun its last task, although that has not ended', () => {
  crew = new FakeCrew(1)
  const limit = { maxTasksPerWorker: 2, maxHeapBytes: NEVER }
  crew.post(0, ...newTasks(2))
  const first = crew.thread(0).start()!
  crew.thread(0).end(first, 1)
  expect(isSpent(limit, crew.worker(0))).toBe(false)
  crew.thread(0).start()
  expect(isSpent(limit, crew.worker(0))).toBe(true)
})

test('or when its heap is above the limit, by as little as it can tell', () => {
  crew = new FakeCrew(1)
  const limit = { maxTasksPerWorker: NEVER, maxHeapBytes: 1024 * 1024 }
  crew.thread(0).row.heap(1024 * 1024, 2 ** 30)
  expect(isSpent(limit, crew.worker(0))).toBe(false)
  crew.thread(0).row.heap(1025 * 1024, 2 ** 30)
  expect(isSpent(limit, crew.worker(0))).toBe(true)
})

test('one that takes no tasks is none', () => {
  crew = new FakeCrew(1)
  crew.worker(0).state = 'draining'
  expect(isSpent({ maxTasksPerWorker: 0, maxHeapBytes: 0 }, crew.worker(0))).toBe(false)
})
