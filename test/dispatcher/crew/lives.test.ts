import { afterEach, expect, test } from 'vitest'
import { holderOf, isStarted, livesOf, postedTasks, workerOf } from '../../../src/dispatcher/crew/lives.js'
import { FakePool } from '../../support/fake-pool.js'

let pool: FakePool
afterEach(() => pool.dispose())

test('lanes, tasks and workers are found in their slots and beside them', () => {
  pool = FakePool.loaded({ workers: 1, window: 2, takeBack: false })
  const { workers } = pool.core.crew
  const before = pool.run('work', 'before')
  pool.deliver()
  pool.thread(0).start()
  const old = pool.worker(0)
  expect(holderOf(workers, before.task)).toBe(old)
  pool.core.crew.recycle(old)
  pool.load()
  const after = pool.run('work', 'after')
  const fresh = pool.worker(0)
  expect(fresh).not.toBe(old)
  // Both have the same key, each on a board of its own.
  expect(after.task.key).toBe(before.task.key)
  expect([holderOf(workers, before.task), holderOf(workers, after.task)]).toEqual([old, fresh])
  expect([workerOf(workers, old.lane!), workerOf(workers, fresh.lane!)]).toEqual([old, fresh])
  expect([...livesOf(workers)]).toEqual([fresh, old])
})

test('nobody holds a task that waits or has settled; a lane of no worker is a fault', () => {
  pool = FakePool.loaded({ workers: 1 })
  const { workers } = pool.core.crew
  const { task } = pool.run('work')
  pool.runAll()
  expect(holderOf(workers, task)).toBeUndefined()
  pool.core.router.pause()
  expect(holderOf(workers, pool.run('work').task)).toBeUndefined()
  const { lane } = pool.worker(0)
  pool.thread(0).die()
  expect(() => workerOf(workers, lane!)).toThrow('slot 0')
  pool.core.rejectAll(() => new Error('end of test'))
})

test('what a lane gives up is taken back, or left behind where it runs', () => {
  pool = FakePool.loaded({ workers: 1, window: 2, takeBack: false })
  const { workers } = pool.core.crew
  const posted = postedTasks(workers)
  const [running, waiting, io] = [pool.run('work', 1), pool.run('work', 2), pool.run('fetch', 3)]
  pool.deliver()
  pool.thread(0).start()
  const tasks = [running, waiting, io].map(({ task }) => task)
  expect([...posted]).toEqual(tasks)
  expect(tasks.map((task) => isStarted(workers, task))).toEqual([true, false, false])
  for (const task of tasks) posted.remove(task)
  expect([...posted]).toEqual([])
  pool.thread(0).runAll('io')
  pool.thread(0).end(pool.thread(0).running[0]!, 'late')
  pool.thread(0).answer()
  pool.deliver()
  expect([pool.core.ledger.lateAnswers, pool.worker(0).started]).toEqual([1, 1])
})
