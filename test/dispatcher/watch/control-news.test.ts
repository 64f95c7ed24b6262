import { afterEach, expect, test } from 'vitest'
import { encodeError } from '../../../src/protocol/error-transfer.js'
import { FakePool } from '../../support/fake-pool.js'

let pool: FakePool
afterEach(() => pool.dispose())

test('progress goes to whoever runs the task, and nowhere once it has settled', async () => {
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
  // Not in the middle of taking in what the port held.
  expect(heard).toEqual([])
  await Promise.resolve()
  expect([heard, task.place]).toEqual([['half'], 'settled'])
})

test('what `onProgress` throws ends its task as an abort does, and is its rejection; it hears no more', async () => {
  pool = FakePool.loaded({ workers: 1 })
  let calls = 0
  const boom = new RangeError('boom')
  const onProgress = () => {
    calls++
    throw boom
  }
  const { ends } = pool.run('work', 1, { onProgress })
  pool.deliver()
  const held = pool.thread(0).start()!
  for (const position of [0, 1]) pool.thread(0).say({ type: 'progress', key: held.key, position, value: 'some' })
  pool.deliver()
  await Promise.resolve()
  pool.thread(0).receive()
  expect(pool.thread(0).told.map(({ type }) => type)).toEqual(['abort'])
  pool.thread(0).end(held, 'not asked for any more')
  pool.thread(0).answer()
  pool.deliver()
  expect([calls, ends]).toEqual([1, [['failed', boom]]])
})

test('what a teardown throws is told as an error', () => {
  pool = FakePool.loaded({ workers: 2 })
  const thread = pool.thread(0)
  pool.core.crew.recycle(pool.worker(0))
  const error = encodeError(new Error('torn'), () => true)
  thread.say({ type: 'stopped', error })
  pool.deliver()
  expect(pool.events.find(([name]) => name === 'error')?.[1]).toMatchObject({ message: 'torn' })
})
