import { expect, test } from 'vitest'
import { callOutside } from '../../src/dispatcher/outside-call.js'

test('what foreign code throws reaches the process after our own code has gone on', async () => {
  const seen: unknown[] = []
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.once('uncaughtException', (error) => seen.push(error))
  try {
    const boom = new Error('boom')
    callOutside(() => {
      throw boom
    })
    expect(seen).toEqual([])
    await new Promise(setImmediate)
    expect(seen).toEqual([boom])
  } finally {
    for (const other of others) process.on('uncaughtException', other)
  }
})

test('it is called at once, and once', () => {
  let calls = 0
  callOutside(() => calls++)
  expect(calls).toBe(1)
})
