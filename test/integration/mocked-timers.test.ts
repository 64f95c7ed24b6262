/** A test runner's mocked timers stand still; a pool that is made and used under them goes on. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Dispatcher } from '../../src/index.js'

const module = new URL('./tasks.mjs', import.meta.url)
/** Everything that vitest can mock here; `nextTick` is Node's own. */
const toFake = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'queueMicrotask',
  'performance',
  'hrtime',
  'Date',
] as const

beforeEach(() => {
  vi.useFakeTimers({ toFake: [...toFake] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('a pool made under mocked timers loads, runs bursts, keeps limits, retries, waits and closes', async () => {
  const pool = new Dispatcher({ module, workers: 2, graceMs: 20, maxQueue: 100 })
  await pool.ready()
  const calls = Array.from({ length: 50 }, (_, n) => pool.run('noop', n))
  expect(await Promise.all(calls)).toEqual(calls.map((_, n) => n))
  expect(await pool.run('noop', 1, { delayMs: 20 })).toBe(1)
  const limited = pool.run('parkFor', 60_000, { runTimeoutMs: 50 })
  await expect(limited).rejects.toMatchObject({ code: 'EVENKEEL_TIMEOUT' })
  await pool.room()
  await pool.idle()
  await pool.close()
})

test('time goes on: what a task took, and how long it waited, is what it was', async () => {
  const pool = new Dispatcher({ module, workers: 1 })
  await pool.ready()
  await pool.run('parkFor', 60)
  const { runMs } = pool.snapshot()
  expect(runMs.max).toBeGreaterThan(50)
  await pool.close()
})

test('timers mocked after the pool was made stop it no more than those before', async () => {
  vi.useRealTimers()
  const pool = new Dispatcher({ module, workers: 1 })
  await pool.run('noop', 1)
  vi.useFakeTimers({ toFake: [...toFake] })
  await expect(pool.run('parkFor', 60_000, { runTimeoutMs: 50 })).rejects.toMatchObject({ code: 'EVENKEEL_TIMEOUT' })
  expect(await pool.run('noop', 2)).toBe(2)
  await pool.close()
})
