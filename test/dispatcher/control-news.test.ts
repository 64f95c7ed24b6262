import { afterEach, expect, test } from 'vitest'
import { encodeError } from '../../src/protocol/error-transfer.js'
import { FakePool } from '../support/fake-pool.js'

let pool: FakePool
afterEach(() => pool.dispose())

test('progress goes to whoever runs the task, and nowhere once it has settled', () => {
  pool = FakePool.loaded({ workers: 1 })
  const heard: unknown[] = []
  const { task } = pool.run('work', 1, { onProgress: (value) => heard.push(value) })
  pool.deliver()
  const held = pool.thread(0).start()!
  pool.thread(0).say({ type: 'progress', key: held.key, position: 0, value: 'half' })
  pool.thread(0).end(held, 1)
  pool.thread(0).answer()
  pool.thread(0).say({ type: 'progress', key: held.key, position: 0, value: 'late' })
  pool.deliver()
  expect([heard, task.state]).toEqual([['half'], 'settled'])
})

test('what a teardown throws is told as an error', () => {
  pool = FakePool.loaded({ workers: 2 })
  pool.core.crew.recycle(pool.worker(0))
  const error = encodeError(new Error('torn'), () => true)
  pool.thread(0).say({ type: 'stopped', error })
  pool.deliver()
  expect(pool.events.find(([name]) => name === 'error')?.[1]).toMatchObject({ message: 'torn' })
})
