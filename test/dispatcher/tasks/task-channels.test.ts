import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FakePool } from '../../support/fake-pool.js'

/** Subscribers are called when nothing of the pool's own is half done: in a microtask. */
const soon = () => Promise.resolve()

const NAMES = ['submit', 'settle', 'retry'].map((name) => `evenkeel:task:${name}`)
let heard: [channel: string, message: unknown][]
const hear = (message: unknown, channel: string | symbol) => heard.push([String(channel), message])

beforeEach(() => {
  heard = []
  for (const name of NAMES) subscribe(name, hear)
})
afterEach(() => {
  for (const name of NAMES) unsubscribe(name, hear)
})

test('a task is told of when it is accepted, tried again and settled', async () => {
  const pool = FakePool.loaded({ workers: 1 })
  const error = expect.objectContaining({ message: 'second' })
  pool.run('work', 1, { priority: 3, retries: { times: 1, on: 'any', backoffMs: 40 } })
  pool.deliver()
  for (const message of ['first', 'second']) {
    pool.thread(0).fail(pool.thread(0).start()!, new Error(message))
    pool.thread(0).answer()
    pool.deliver()
    pool.clock.advance(40)
    pool.deliver()
  }
  expect(heard).toEqual([])
  await soon()
  expect(heard).toEqual([
    ['evenkeel:task:submit', { task: 'work', kind: 'cpu', priority: 3 }],
    ['evenkeel:task:retry', { task: 'work', kind: 'cpu', attempt: 2, failure: 'thrown', delayMs: expect.any(Number) }],
    ['evenkeel:task:settle', { task: 'work', kind: 'cpu', attempts: 2, ok: false, error }],
  ])
  pool.dispose()
})

test('a refused call is no task, and a task that resolves has no error', async () => {
  const pool = FakePool.loaded({ workers: 1, maxQueue: 0 })
  pool.run('work', 1)
  expect(() => pool.run('work', 2)).toThrow(/queue holds/)
  pool.runAll()
  await soon()
  expect(heard.map(([channel]) => channel)).toEqual(['evenkeel:task:submit', 'evenkeel:task:settle'])
  expect(heard[1]![1]).toMatchObject({ ok: true, error: undefined })
  pool.dispose()
})

test('a full queue is told of once, by the first task that finds it so', async () => {
  const pool = FakePool.loaded({ workers: 1, maxQueue: 0 })
  subscribe('evenkeel:queue:saturated', hear)
  const refuse = () => expect(() => pool.run('work', 2)).toThrow(/queue holds/)
  const told = () => heard.filter(([name]) => name === 'evenkeel:queue:saturated')
  pool.run('work', 1)
  refuse()
  refuse()
  await soon()
  expect(told()).toEqual([['evenkeel:queue:saturated', { task: 'work', maxQueue: 0 }]])
  pool.runAll()
  pool.run('work', 1)
  refuse()
  await soon()
  expect(told()).toHaveLength(2)
  unsubscribe('evenkeel:queue:saturated', hear)
  pool.dispose()
})

test('a message is made only for someone', () => {
  for (const name of NAMES) unsubscribe(name, hear)
  const channels = [...NAMES, 'evenkeel:queue:saturated'].map((name) => vi.spyOn(channel(name), 'publish'))
  const pool = FakePool.loaded({ workers: 1, maxQueue: 0 })
  pool.run('work', 1)
  expect(() => pool.run('work', 2)).toThrow(/queue holds/)
  pool.runAll()
  for (const publish of channels) {
    expect(publish).not.toHaveBeenCalled()
    publish.mockRestore()
  }
  pool.dispose()
})

test('a subscriber that ends the task as it comes in is heard', async () => {
  const pool = FakePool.loaded({ workers: 1 })
  const stop = new AbortController()
  const abort = () => stop.abort('no')
  subscribe('evenkeel:task:submit', abort)
  const { ends } = pool.run('work', 1, { signal: stop.signal })
  await soon()
  unsubscribe('evenkeel:task:submit', abort)
  expect(ends).toEqual([['failed', expect.objectContaining({ code: 'EVENKEEL_ABORTED', cause: 'no' })]])
  pool.dispose()
})
