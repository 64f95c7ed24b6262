import { describe, expect, test } from 'vitest'
import { checkDefaults, NO_OPTIONS } from '../../src/dispatcher/options/run-options.js'
import { checkBroadcast, checkRunOnAll } from '../../src/dispatcher/whole-pool.js'
import { caseTest } from '../support/case-host.js'
import { errorOf, fixtureUrl, within } from '../support/outcome.js'

const LIMIT_MS = 20_000
const module = fixtureUrl('shared-state.mjs')

describe('runOnAll', () => {
  caseTest('gives one result per worker in the order of the slots, busy or not', async ({ pool: open }) => {
    const pool = open({ module, workers: 3 })
    await pool.ready()
    const busy = pool.run('spin', 30)
    expect(await within(LIMIT_MS, pool.runOnAll('slot'))).toEqual([0, 1, 2])
    await busy
    const threads = await pool.runOnAll('setUp', 1)
    expect(new Set(threads).size).toBe(3)
  })

  caseTest('waits for a worker where none is ready, and runs during a pause', async ({ pool: open }) => {
    const pool = open({ module, workers: { min: 0, max: 2 } })
    expect(await within(LIMIT_MS, pool.runOnAll('slot'))).toEqual([0])
    pool.pause()
    expect(await within(LIMIT_MS, pool.runOnAll('slot'))).toEqual([0])
    pool.resume()
  })

  caseTest('rejects with the first error, and with a worker that is lost', async ({ pool: open }) => {
    const pool = open({ module, workers: 2 })
    await pool.ready()
    expect(await errorOf(LIMIT_MS, pool.runOnAll('setUp', { fail: true }))).toMatchObject({ message: 'cannot set up' })
    expect(await errorOf(LIMIT_MS, pool.runOnAll('exit', 3))).toMatchObject({ code: 'EVENKEEL_WORKER_EXIT' })
    expect(await errorOf(LIMIT_MS, pool.runOnAll('slot', 0, { key: 'a' } as never))).toMatchObject({ option: 'key' })
  })
})

describe('broadcast', () => {
  caseTest('reaches every worker, and every thread that comes later before its first task', async ({ pool: open }) => {
    const pool = open({ module, workers: 2 })
    await pool.ready()
    await within(LIMIT_MS, pool.broadcast('setUp', 'a'))
    await within(LIMIT_MS, pool.broadcast('setUp', 'b'))
    expect(await pool.runOnAll('settingsNow')).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
    await errorOf(LIMIT_MS, pool.run('exit', 1))
    pool.resize(3)
    await within(LIMIT_MS, pool.warmUp())
    expect(await pool.runOnAll('settingsNow')).toEqual(Array(3).fill(['a', 'b']))
  })

  caseTest('before a thread is up is the first thing that it runs', async ({ pool: open }) => {
    const pool = open({ module, workers: 2 })
    const early = pool.run('settingsNow')
    const payload = { from: 'the call' }
    const sent = pool.broadcast('setUp', payload)
    payload.from = 'later'
    await within(LIMIT_MS, sent)
    expect(await early).toEqual([{ from: 'the call' }])
    await pool.warmUp()
    expect(await pool.runOnAll('settingsNow')).toEqual(Array(2).fill([{ from: 'the call' }]))
  })

  caseTest('that fails is not replayed; one that is lost with a worker is', async ({ pool: open }) => {
    const pool = open({ module, workers: 1 })
    await pool.ready()
    expect(await errorOf(LIMIT_MS, pool.broadcast('setUp', { fail: true }))).toMatchObject({ message: 'cannot set up' })
    const ending = errorOf(LIMIT_MS, pool.run('exit', 1))
    await within(LIMIT_MS, pool.broadcast('setUp', 'kept'))
    await ending
    expect(await within(LIMIT_MS, pool.run('settingsNow'))).toEqual(['kept'])
  })

  caseTest('with nothing or only the last to replay', async ({ pool: open }) => {
    const pool = open({ module, workers: 1 })
    await within(LIMIT_MS, pool.broadcast('setUp', 'once', { replay: 'none' }))
    for (const value of [1, 2, 3]) await within(LIMIT_MS, pool.broadcast('setUp', value, { replay: 'last' }))
    expect(await pool.run('settingsNow')).toEqual(['once', 1, 2, 3])
    await errorOf(LIMIT_MS, pool.run('exit', 1))
    expect(await within(LIMIT_MS, pool.run('settingsNow'))).toEqual([3])
  })

  caseTest('of what cannot be cloned names the place', async ({ pool: open }) => {
    const pool = open({ module })
    const error = await errorOf(LIMIT_MS, pool.broadcast('setUp', { call: () => {} }))
    expect(error).toMatchObject({ code: 'EVENKEEL_CLONE', path: 'payload.call' })
  })
})

caseTest('a warm pool has all its workers', async ({ pool: open }) => {
  const pool = open({ module, workers: { min: 1, max: 3 } })
  await within(LIMIT_MS, pool.warmUp())
  expect(pool.snapshot().workers.map(({ state }) => state)).toEqual(['idle', 'idle', 'idle'])
})

test('a closed pool neither warms up nor runs anything', async () => {
  const { Dispatcher } = await import('../../src/dispatcher/dispatcher.js')
  const pool = new Dispatcher({ module, workers: { min: 0, max: 1 } })
  await pool.close()
  for (const call of [pool.warmUp(), pool.runOnAll('plus', 1), pool.broadcast('plus', 1)]) {
    await expect(call).rejects.toMatchObject({ code: 'EVENKEEL_CLOSED' })
  }
})

describe('options of calls to the whole pool', () => {
  test('what holds for one task on each worker is accepted, what picks a worker is not', () => {
    const options = { runTimeoutMs: 5, deadlineMs: 10, tag: 'a', signal: new AbortController().signal }
    expect(checkRunOnAll(options, NO_OPTIONS)).toEqual(options)
    const refused = [
      { key: 'a' },
      { share: 'a' },
      { transfer: [] },
      { retries: { times: 1 } },
      { delayMs: 1 },
      { slot: 1 },
    ]
    for (const wrong of refused) {
      expect(() => checkRunOnAll(wrong, NO_OPTIONS)).toThrow(expect.objectContaining({ option: Object.keys(wrong)[0] }))
    }
  })

  test('a broadcast is replayed unless told otherwise', () => {
    expect([{}, { replay: 'last' }, { replay: 'none' }].map(checkBroadcast)).toEqual(['all', 'last', 'none'])
    expect(() => checkBroadcast({ replay: true })).toThrow(TypeError)
    expect(() => checkBroadcast({ replay: 'first' })).toThrow(RangeError)
    expect(() => checkBroadcast({ replays: 'all' })).toThrow(expect.objectContaining({ option: 'replays' }))
  })

  test('of the defaults of a pool, a call on all workers takes the limits that it has', () => {
    const defaults = checkDefaults({
      priority: 3,
      runTimeoutMs: 5,
      queueTimeoutMs: 6,
      deadlineMs: 7,
      retries: { times: 1 },
    })
    expect(checkRunOnAll({ deadlineMs: 9 }, defaults)).toEqual({ runTimeoutMs: 5, deadlineMs: 9 })
  })
})
