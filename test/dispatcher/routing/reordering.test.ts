import { afterEach, expect, test } from 'vitest'
import type { RunOptions } from '../../../src/dispatcher/options/run-options.js'
import { FakePool } from '../../support/fake-pool.js'

let pool: FakePool
afterEach(() => pool.dispose())

const tagged: RunOptions = { tag: 'a' }

/** Payloads in the order in which the one worker runs them. */
function order(): unknown[] {
  const started: unknown[] = []
  const thread = pool.thread(0)
  for (let idle = false; !idle; ) {
    pool.deliver()
    const held = thread.start()
    idle = held === undefined
    if (held === undefined) continue
    started.push(held.payload)
    thread.end(held, held.payload)
    thread.answer()
  }
  return started
}

test('waiting tasks of a tag go before others, in their own order', () => {
  pool = FakePool.loaded({ workers: 1, window: 1 })
  for (let index = 0; index < 8; index++) pool.run('work', index, index % 2 === 1 ? tagged : {})
  pool.thread(0).start()
  expect(pool.core.setPriority('a', 5)).toBe(4)
  const [running] = pool.thread(0).running
  pool.thread(0).end(running!, 0)
  pool.thread(0).answer()
  expect(order()).toEqual([1, 3, 5, 7, 2, 4, 6])
})

test('a task that a worker holds and has not started makes way', () => {
  pool = FakePool.loaded({ workers: 1, window: 3 })
  for (let index = 0; index < 4; index++) pool.run('work', index, index === 1 ? tagged : {})
  pool.core.router.flush()
  expect(pool.core.setPriority('a', -5)).toBe(1)
  expect(pool.worker(0).record.takenBack).toBe(1)
  expect(order()).toEqual([0, 2, 3, 1])
})

test('one that has started, was moved or is unknown is left as it is', () => {
  pool = FakePool.loaded({ workers: 1, window: 3 })
  const running = pool.run('work', 0, tagged)
  pool.deliver()
  pool.thread(0).start()
  expect(pool.core.setPriority('a', 5)).toBe(0)
  expect(running.task.priority).toBe(0)
  expect(pool.core.setPriority('b', 5)).toBe(0)
  const fresh = FakePool.loaded({ workers: 1 })
  const buffer = new ArrayBuffer(8)
  fresh.run('work', buffer, { ...tagged, transfer: [buffer] })
  expect(fresh.core.setPriority('a', 5)).toBe(0)
  fresh.dispose()
})

test('a task whose start is put off has its new priority when it comes', () => {
  pool = FakePool.loaded({ workers: 1, window: 1 })
  pool.run('work', 'running')
  pool.deliver()
  const running = pool.thread(0).start()
  const delayed = pool.run('work', 'delayed', { ...tagged, delayMs: 100 })
  pool.run('work', 'waiting')
  expect(pool.core.setPriority('a', 1)).toBe(1)
  pool.clock.advance(100)
  expect(delayed.task.place).toBe('queue')
  pool.thread(0).end(running!, 0)
  pool.thread(0).answer()
  expect(order()).toEqual(['delayed', 'waiting'])
})

test('tasks that came before their kind was known keep to their queue', () => {
  pool = new FakePool({ workers: 1, window: 1 })
  for (let index = 0; index < 4; index++) pool.run(index % 2 === 0 ? 'fetch' : 'work', index, tagged)
  expect(pool.core.setPriority('a', 3)).toBe(4)
  pool.load()
  pool.runAll()
  expect(pool.core.ledger).toMatchObject({ completed: 4, unsettled: 0 })
})

test('one whose message is slow to read, or whose priority stays the same, is not taken back for it', () => {
  pool = FakePool.loaded({ workers: 1, window: 3 })
  const costly = pool.run('work', new Map(), tagged)
  const same = pool.run('work', 1, { tag: 'b', priority: 5 })
  pool.core.router.flush()
  costly.task.repostUs = 10_000
  expect([pool.core.setPriority('a', 5), pool.core.setPriority('b', 5)]).toEqual([1, 1])
  expect(pool.worker(0).record.takenBack).toBe(0)
  expect([costly.task.priority, same.task.priority]).toEqual([5, 5])
  pool.thread(0).start()
  expect(pool.core.setPriority('a', 7)).toBe(0)
})
