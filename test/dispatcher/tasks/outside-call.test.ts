import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { PoolWorker } from '../../../src/dispatcher/crew/pool-worker.js'
import { callOutside, publishSoon, safeRandom, tellOnline } from '../../../src/dispatcher/tasks/outside-call.js'
import { FakePool } from '../../support/fake-pool.js'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

async function uncaughtDuring(body: () => void): Promise<unknown[]> {
  const seen: unknown[] = []
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', (error) => seen.push(error))
  try {
    body()
    await turn()
    return seen
  } finally {
    process.removeAllListeners('uncaughtException')
    for (const other of others) process.on('uncaughtException', other)
  }
}

test('calls are made once our own code has gone on, in their order', async () => {
  const heard: string[] = []
  for (const name of ['first', 'second'])
    callOutside(
      () => heard.push(name),
      () => expect.unreachable(),
    )
  heard.push('ours')
  await turn()
  expect(heard).toEqual(['ours', 'first', 'second'])
})

test('what they throw, and what promises they return reject with, is handed over', async () => {
  const failures: unknown[] = []
  callOutside(
    () => {
      throw 'at once'
    },
    (error) => failures.push(error),
  )
  callOutside(
    () => Promise.reject('later'),
    (error) => failures.push(error),
  )
  await turn()
  expect(failures).toEqual(['at once', 'later'])
})

test('what cannot be handed over is an uncaught exception, also of a subscriber', async () => {
  const told = channel('evenkeel:test:outside')
  const subscriber = () => {
    throw 'subscriber'
  }
  told.subscribe(subscriber)
  const rethrow = (error: unknown) => {
    throw error
  }
  const seen = await uncaughtDuring(() => {
    callOutside(() => rethrow('sync'), rethrow)
    callOutside(() => Promise.reject('async'), rethrow)
    publishSoon(told, {})
  })
  told.unsubscribe(subscriber)
  expect(seen.toSorted()).toEqual(['async', 'subscriber', 'sync'])
})

test.each([
  ['throws', () => expect.unreachable()],
  ['gives NaN', () => Number.NaN],
  ['gives 1', () => 1],
  ['gives a string', () => '0.5' as never],
])('a random source that %s is told once and not asked again', (_what, source) => {
  const failures: unknown[] = []
  let calls = 0
  const random = safeRandom(
    () => {
      calls++
      return source() as number
    },
    (error) => failures.push(error),
  )
  for (let draw = 0; draw < 5; draw++) {
    const value = random()
    expect(value >= 0 && value < 1).toBe(true)
  }
  expect([calls, failures.length]).toEqual([1, 1])
  expect(
    safeRandom(
      () => 0.25,
      () => expect.unreachable(),
    )(),
  ).toBe(0.25)
})

describe('news of tasks on diagnostics channels', () => {
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
      [
        'evenkeel:task:retry',
        { task: 'work', kind: 'cpu', attempt: 2, failure: 'thrown', delayMs: expect.any(Number) },
      ],
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
})

describe('news of workers on diagnostics channels', () => {
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
})
