import { afterEach, describe, expect, test } from 'vitest'
import { Dispatcher } from '../../src/dispatcher/dispatcher.js'
import type { DispatcherOptions } from '../../src/dispatcher/options/options.js'
import { fixtureUrl } from '../support/outcome.js'

let pool: Dispatcher
afterEach(() => pool.close({ force: true }))

function poolOf(options: Partial<DispatcherOptions> = {}): Dispatcher {
  pool = new Dispatcher({ module: fixtureUrl('small-tasks.mjs'), workers: 1, ...options })
  return pool
}

describe('run', () => {
  test('resolves to what the task returns, also when it is called before a thread is up', async () => {
    poolOf({ workers: 2 })
    const values = await Promise.all(Array.from({ length: 500 }, (_, n) => pool.run('plus', n)))
    expect(values).toEqual(Array.from({ length: 500 }, (_, n) => n + 1))
  })

  test('starts tasks of one priority in the order of the calls', async () => {
    poolOf()
    await Promise.all(Array.from({ length: 300 }, (_, n) => pool.run('mark', n)))
    expect(await pool.run('marks')).toEqual(Array.from({ length: 300 }, (_, n) => n))
  })

  test('starts larger priorities first among those that wait', async () => {
    poolOf({ window: 1 })
    await pool.ready()
    const blocker = pool.run('spin', 20)
    const marks = [0, 5, -1, 5, 2].map((priority, index) => pool.run('mark', index, { priority }))
    await Promise.all([blocker, ...marks])
    expect(await pool.run('marks')).toEqual([1, 3, 4, 0, 2])
  })

  test('never throws: whatever is wrong with the call is a rejection, and counted', async () => {
    poolOf()
    const untyped = pool as unknown as { run(...args: unknown[]): Promise<unknown> }
    await expect(untyped.run(5)).rejects.toMatchObject({ code: 'EVENKEEL_INVALID_OPTION', option: 'name' })
    await expect(untyped.run('plus', 1, { prio: 1 })).rejects.toMatchObject({ option: 'prio' })
    await expect(untyped.run('plus', 1, null)).rejects.toMatchObject({ option: 'options' })
    await expect(pool.run('plus', 1, { signal: AbortSignal.abort('no') })).rejects.toMatchObject({
      name: 'AbortError',
      cause: 'no',
    })
    await expect(pool.run('nowhere')).rejects.toMatchObject({ code: 'EVENKEEL_UNKNOWN_TASK', task: 'nowhere' })
    expect(pool.snapshot()).toMatchObject({ rejected: 4, failed: 1, queued: 0, running: 0 })
  })

  test('moves what is in the transfer list', async () => {
    poolOf()
    const buffer = new ArrayBuffer(64)
    expect(await pool.run('len', buffer, { transfer: [buffer] })).toBe(64)
    expect(buffer.byteLength).toBe(0)
  })

  test('an urgent task does not send a moved payload away from its worker', async () => {
    poolOf({ window: 1 })
    await pool.ready()
    const buffer = new ArrayBuffer(64)
    const moved = pool.run('len', buffer, { transfer: [buffer] })
    const urgent = pool.run('plus', 1, { priority: 5 })
    expect(await Promise.all([moved, urgent])).toEqual([64, 2])
  })
})

describe('waiting for the pool', () => {
  test('ready, idle and room follow what happens', async () => {
    poolOf({ workers: 2, maxQueue: 2 })
    await pool.ready()
    expect(pool.snapshot().workers.map(({ state }) => state)).toEqual(['idle', 'idle'])
    await pool.idle()
    await pool.room()
    const four = Array.from({ length: 4 }, () => pool.run('nap', 20))
    await expect(pool.run('nap', 20)).rejects.toMatchObject({ code: 'EVENKEEL_QUEUE_FULL', maxQueue: 2 })
    const drained = new Promise<void>((resolve) => pool.once('drain', resolve))
    await pool.room()
    const fifth = pool.run('plus', 1)
    await pool.idle()
    await drained
    expect(await Promise.all([...four, fifth])).toEqual([20, 20, 20, 20, 2])
  })

  test('a producer that awaits room is never refused', async () => {
    poolOf({ workers: 2, maxQueue: 3 })
    const results: Promise<number>[] = []
    for (let n = 0; n < 200; n++) {
      await pool.room()
      results.push(pool.run('plus', n))
    }
    expect(await Promise.all(results)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1))
  })
})

describe('map', () => {
  test('runs one task per item, in order where asked', async () => {
    poolOf({ workers: 2 })
    const values: number[] = []
    for await (const { value } of pool.map('plus', [1, 2, 3, 4], { ordered: true, concurrency: 2 })) values.push(value)
    expect(values).toEqual([2, 3, 4, 5])
  })

  test('left early it leaves nothing behind', async () => {
    poolOf()
    for await (const { value } of pool.map('plus', Array(50).fill(1))) {
      expect(value).toBe(2)
      break
    }
    await pool.idle()
    expect(pool.snapshot()).toMatchObject({ queued: 0, running: 0 })
  })
})

describe('listeners', () => {
  test('one that throws disturbs nothing but the process', async () => {
    poolOf()
    const seen: unknown[] = []
    const others = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    process.on('uncaughtException', (error) => seen.push(error))
    try {
      pool.once('exit', () => {
        throw new Error('listener')
      })
      await expect(pool.run('exit', 3)).rejects.toMatchObject({ code: 'EVENKEEL_WORKER_EXIT', exitCode: 3 })
      expect(await pool.run('plus', 1)).toBe(2)
      expect(seen).toEqual([new Error('listener')])
    } finally {
      process.removeAllListeners('uncaughtException')
      for (const other of others) process.on('uncaughtException', other)
    }
  })
})

describe('the number of workers', () => {
  test('can be changed while work goes on', async () => {
    poolOf({ workers: 1 })
    await pool.ready()
    const before = Array.from({ length: 50 }, (_, n) => pool.run('plus', n))
    pool.resize(3)
    pool.resize({ min: 1, max: 2 })
    expect(await Promise.all(before)).toHaveLength(50)
    await pool.ready()
    expect(pool.snapshot().workers.filter(({ state }) => state !== 'dead').length).toBeLessThanOrEqual(3)
  })

  test.each([
    [0, 'workers', RangeError],
    [1.5, 'workers', RangeError],
    [{ min: 3, max: 2 }, 'workers', RangeError],
    ['2', 'workers', TypeError],
  ])('refuses %j', (workers, option, type) => {
    poolOf()
    const resize = () => (pool as unknown as { resize(workers: unknown): void }).resize(workers)
    expect(resize).toThrow(type)
    expect(resize).toThrow(expect.objectContaining({ option }))
  })

  test('recycle gives every worker a new thread and loses nothing', async () => {
    poolOf({ workers: 2 })
    await pool.ready()
    const before = pool.snapshot().workers.map(({ threadId }) => threadId)
    const running = Array.from({ length: 20 }, (_, n) => pool.run('plus', n))
    pool.recycle()
    expect(await Promise.all(running)).toHaveLength(20)
    while (pool.snapshot().workers.some(({ threadId }) => threadId === -1 || before.includes(threadId))) {
      await new Promise(setImmediate)
    }
    expect(await pool.run('plus', 1)).toBe(2)
  })
})

describe('load coefficients', () => {
  test('can be changed while running, or are refused as a whole', async () => {
    poolOf()
    pool.setLoadCoefficients({ cpu: 0.5, lag: 0.5 })
    expect(() => pool.setLoadCoefficients({ cpu: 0.4 })).toThrow(RangeError)
    pool.setLoadCoefficients()
    expect(await pool.run('plus', 1)).toBe(2)
  })
})

describe('close', () => {
  test('finishes what was accepted, and refuses what comes later', async () => {
    poolOf({ window: 1 })
    const accepted = Array.from({ length: 20 }, (_, n) => pool.run('plus', n))
    const closed = pool.close()
    expect(pool.close({ force: false })).toBe(closed)
    await expect(pool.run('plus', 1)).rejects.toMatchObject({ code: 'EVENKEEL_CLOSED', retryable: false })
    await expect(pool.ready()).rejects.toMatchObject({ code: 'EVENKEEL_CLOSED' })
    expect(await Promise.all(accepted)).toHaveLength(20)
    await closed
    expect(pool.snapshot().workers.map(({ state, threadId }) => [state, threadId])).toEqual([['dead', -1]])
  })

  test('by force rejects what is left, and nothing hangs', async () => {
    poolOf()
    const settled = Promise.allSettled([pool.run('forever'), pool.run('plus', 1)])
    await pool.close({ force: true })
    expect(await settled).toMatchObject([
      { status: 'rejected', reason: { code: 'EVENKEEL_CLOSED' } },
      { status: 'rejected', reason: { code: 'EVENKEEL_CLOSED' } },
    ])
  })

  test('happens at the end of a scope', async () => {
    await using scoped = poolOf()
    await scoped.ready()
    expect(typeof scoped[Symbol.asyncDispose]).toBe('function')
  })

  test.each([{ force: 1 }, { timeoutMs: -1 }, { timeoutMs: Number.NaN }, { wait: true }])('refuses %j', (options) => {
    poolOf()
    expect(() => pool.close(options as never)).toThrow(expect.objectContaining({ code: 'EVENKEEL_INVALID_OPTION' }))
  })
})

test('two pools know nothing of each other', async () => {
  poolOf()
  const other = new Dispatcher({ module: fixtureUrl('small-tasks.mjs'), workers: 1 })
  try {
    await Promise.all([pool.run('mark', 1), other.run('mark', 2)])
    expect(await Promise.all([pool.run('marks'), other.run('marks')])).toEqual([[1], [2]])
  } finally {
    await other.close()
  }
})
