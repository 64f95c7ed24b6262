import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import type { Dispatcher, DispatcherOptions } from '../../src/index.js'
import { caseTest } from '../support/case-host.js'
import { errorOf, fixtureUrl, within } from '../support/outcome.js'

const LIMIT_MS = 30_000
/** Readings of two threads' clocks may differ by so much, ms. */
const CLOCK_MS = 1
const CAP = 5
const INTERVAL_MS = 120
const GATED = { gate: 'api' }

const gatedPool = (options: Partial<DispatcherOptions> = {}): Partial<DispatcherOptions> => ({
  module: fixtureUrl('starting.mjs'),
  workers: 2,
  gates: { api: { intervalCap: CAP, intervalMs: INTERVAL_MS } },
  ...options,
})

/** The shortest stretch in which one more than the cap began. */
function shortestMs(starts: readonly number[], cap = CAP): number {
  const sorted = [...starts].sort((a, b) => a - b)
  return sorted.slice(cap).reduce((least, start, at) => Math.min(least, start - sorted[at]!), Number.POSITIVE_INFINITY)
}

function expectKept(starts: readonly number[], cap = CAP, intervalMs = INTERVAL_MS): void {
  expect(shortestMs(starts, cap)).toBeGreaterThanOrEqual(intervalMs - CLOCK_MS)
}

const call = (pool: Dispatcher, name = 'startIo', payload: unknown = 0) =>
  pool.run(name, payload, GATED) as Promise<number>
const calls = (pool: Dispatcher, count: number, name?: string, payload?: unknown) =>
  Promise.all(Array.from({ length: count }, () => call(pool, name, payload)))

describe('no more tasks start in any interval than the gate says', () => {
  caseTest('after a pause', async ({ pool: open }) => {
    const pool = open(gatedPool())
    await pool.ready()
    pool.pause()
    const starts = calls(pool, 20)
    await sleep(3 * INTERVAL_MS)
    pool.resume()
    expectKept(await within(LIMIT_MS, starts))
  })

  caseTest('while workers are slow to be ready', async ({ pool: open }) => {
    const pool = open(gatedPool({ workerData: { setupMs: 3 * INTERVAL_MS } }))
    expectKept(await within(LIMIT_MS, calls(pool, 20)))
  })

  caseTest('behind tasks that block every worker', async ({ pool: open }) => {
    const pool = open(gatedPool())
    await pool.ready()
    const blocked = [1, 2, 3, 4].map(() => pool.run('spin', 2 * INTERVAL_MS))
    const starts = Promise.all([calls(pool, 10), calls(pool, 10, 'startCpu')])
    expectKept((await within(LIMIT_MS, starts)).flat())
    await Promise.all(blocked)
  })

  caseTest('with a window that holds many, and no take-back', async ({ pool: open }) => {
    const pool = open(gatedPool({ workers: 1, window: 16, takeBack: false }))
    await pool.ready()
    const blocked = pool.run('spin', 3 * INTERVAL_MS)
    expectKept(await within(LIMIT_MS, calls(pool, 15, 'startCpu')))
    await blocked
  })

  caseTest('when tasks come back from a worker and go to another', async ({ pool: open }) => {
    const pool = open(gatedPool())
    await pool.ready()
    const starts: Promise<number>[] = []
    for (let round = 0; round < 4; round++) {
      starts.push(...Array.from({ length: 5 }, () => call(pool, 'startCpu')))
      pool.pause()
      await sleep(INTERVAL_MS / 2)
      pool.resume()
      pool.recycle()
    }
    expectKept(await within(LIMIT_MS, Promise.all(starts)))
  })

  caseTest('each further attempt included', async ({ pool: open }) => {
    const pool = open(gatedPool())
    const starts: number[] = []
    const retries = { times: 3, on: 'any', backoffMs: 0 } as const
    const runs = Array.from({ length: 6 }, () =>
      pool.run('failIo', 3, { ...GATED, retries, onProgress: (at) => void starts.push(at as number) }),
    )
    await within(LIMIT_MS, Promise.all(runs))
    expect(starts).toHaveLength(18)
    expectKept(starts)
  })

  caseTest('with tasks that run on for longer, at the full rate', async ({ pool: open }) => {
    const pool = open(gatedPool())
    await pool.ready()
    const beganMs = performance.now()
    const starts = await within(LIMIT_MS, calls(pool, 20, 'holdIo', 6 * INTERVAL_MS))
    expectKept(starts)
    // Three further intervals, then the last tasks; waiting for answers would take two runs more.
    expect(performance.now() - beganMs).toBeLessThan(15 * INTERVAL_MS)
  })

  caseTest('while each gate counts for itself, and ungated tasks pass by', async ({ pool: open }) => {
    const api = { intervalCap: CAP, intervalMs: INTERVAL_MS }
    const pool = open(gatedPool({ gates: { api, slow: { intervalCap: 1, intervalMs: 2 * INTERVAL_MS } } }))
    await pool.ready()
    const slow = Promise.all([1, 2, 3].map(() => pool.run('startIo', 0, { gate: 'slow' }) as Promise<number>))
    const starts = calls(pool, 15)
    const free = (await within(LIMIT_MS, pool.run('startIo'))) as number
    const gated = await within(LIMIT_MS, starts)
    expectKept(gated)
    expectKept(await within(LIMIT_MS, slow), 1, 2 * INTERVAL_MS)
    expect(free).toBeLessThan(Math.max(...gated))
  })
})

describe('a gate', () => {
  caseTest('gives the place of a task that never started to the next at once', async ({ pool: open }) => {
    const pool = open(gatedPool({ gates: { api: { intervalCap: 2, intervalMs: 600_000 } } }))
    await pool.ready()
    pool.pause()
    const controller = new AbortController()
    const aborted = [1, 2, 3].map(() =>
      errorOf(LIMIT_MS, pool.run('startIo', 0, { ...GATED, signal: controller.signal })),
    )
    await sleep(10)
    controller.abort()
    pool.resume()
    for (const error of await Promise.all(aborted)) expect(error.code).toBe('EVENKEEL_ABORTED')
    expect(await within(LIMIT_MS, calls(pool, 2))).toHaveLength(2)
  })

  caseTest('lets the more urgent task start first, however long the other waits already', async ({ pool: open }) => {
    const pool = open(gatedPool({ gates: { api: { intervalCap: 1, intervalMs: 20 } }, workers: 1 }))
    await within(LIMIT_MS, call(pool))
    pool.pause()
    const order: string[] = []
    const run = (name: string, options: object) =>
      pool.run('startIo', 0, { ...GATED, ...options }).then(() => void order.push(name))
    const runs = [run('low', {}), run('raised', { tag: 'a' }), run('high', { priority: 3 })]
    await sleep(40)
    runs.push(run('higher', { priority: 5 }))
    pool.setPriority('a', 9)
    await sleep(40)
    pool.resume()
    await within(LIMIT_MS, Promise.all(runs))
    expect(order).toEqual(['raised', 'higher', 'high', 'low'])
  })

  caseTest('gives up the place of a task that waits for its next attempt', async ({ pool: open }) => {
    const pool = open(gatedPool({ gates: { api: { concurrency: 1 } } }))
    const retries = { times: 2, on: 'any', backoffMs: 600_000 } as const
    const controller = new AbortController()
    const { signal } = controller
    const failing = errorOf(LIMIT_MS, pool.run('failIo', 2, { ...GATED, retries, signal }))
    expect(await within(LIMIT_MS, call(pool))).toBeGreaterThan(0)
    controller.abort()
    expect(await failing).toMatchObject({ code: 'EVENKEEL_ABORTED' })
  })

  caseTest('keeps how many are under way through pauses and recycling', async ({ pool: open }) => {
    const counters = new SharedArrayBuffer(4)
    const pool = open(gatedPool({ gates: { api: { concurrency: 3 } }, workerData: { counters } }))
    const most = Array.from({ length: 30 }, () => pool.run('underWay', 5, GATED) as Promise<number>)
    for (let round = 0; round < 4; round++) {
      pool.pause()
      await sleep(5)
      pool.resume()
      pool.recycle()
      await sleep(10)
    }
    expect(Math.max(...(await within(LIMIT_MS, Promise.all(most))))).toBeLessThanOrEqual(3)
  })
})
