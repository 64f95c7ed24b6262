import { channel } from 'node:diagnostics_channel'
import { expect, test } from 'vitest'
import { callOutside, publishSoon, safeRandom } from '../../../src/dispatcher/tasks/outside-call.js'

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
