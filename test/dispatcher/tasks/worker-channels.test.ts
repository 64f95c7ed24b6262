import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, test, vi } from 'vitest'
import { PoolWorker } from '../../../src/dispatcher/crew/pool-worker.js'
import { tellOnline } from '../../../src/dispatcher/tasks/worker-channels.js'
import { FakePool } from '../../support/fake-pool.js'

const NAME = 'evenkeel:worker:online'

test('each thread is told of once it takes tasks, with the time that took', async () => {
  const heard: unknown[] = []
  const hear = (message: unknown) => heard.push(message)
  subscribe(NAME, hear)
  const pool = new FakePool({ workers: 2 })
  pool.clock.advance(30)
  expect(heard).toEqual([])
  pool.load()
  await Promise.resolve()
  unsubscribe(NAME, hear)
  expect(heard).toEqual([
    { slot: 0, threadId: 1, startMs: 30 },
    { slot: 1, threadId: 2, startMs: 30 },
  ])
  pool.dispose()
})

test('no message is published while nobody listens', () => {
  const told = channel(NAME)
  const publish = vi.spyOn(told, 'publish')
  tellOnline(new PoolWorker(0), 5)
  expect(publish).not.toHaveBeenCalled()
  publish.mockRestore()
})
