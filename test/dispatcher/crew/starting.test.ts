import { describe, expect, test } from 'vitest'
import { Readiness } from '../../../src/dispatcher/crew/starting.js'
import { caseTest } from '../../support/case-host.js'
import { FakePool } from '../../support/fake-pool.js'
import { errorOf, fixtureUrl, within } from '../../support/outcome.js'

const LIMIT_MS = 20_000

/** Time passes in steps of a tick while a task waits. */
function waitFor(pool: FakePool, forMs: number): void {
  for (let passedMs = 0; passedMs < forMs; passedMs += 5) pool.clock.advance(5)
}

describe('a thread that does not come to load', () => {
  test('is told of once after 10 s, with what it waits for, and ended after the limit', () => {
    const pool = new FakePool({ workers: 1, startTimeoutMs: 20_000 })
    const { ends } = pool.run('work')
    pool.thread(0).hello().say({ type: 'imported' })
    pool.deliver()
    waitFor(pool, 9_800)
    expect(pool.heard).toEqual([])
    waitFor(pool, 5_000)
    expect(pool.events).toEqual([
      ['slowStart', { slot: 0, threadId: 1, waitsFor: 'setup', startingMs: expect.any(Number) }],
    ])
    waitFor(pool, 5_300)
    expect(ends).toEqual([
      [
        'failed',
        expect.objectContaining({
          code: 'EVENKEEL_MODULE_LOAD',
          limitMs: 20_000,
          message: expect.stringContaining('`setup` has not settled'),
        }),
      ],
    ])
    expect(pool.supervisor.threads[0]!.dead).toBe(true)
    pool.dispose()
  })

  test('is not accused of time in which our own loop stood still, nor when it has loaded meanwhile', () => {
    const pool = new FakePool({ workers: 1, startTimeoutMs: 1_000 })
    const { ends } = pool.run('work')
    pool.thread(0).hello()
    waitFor(pool, 500)
    pool.clock.block(60_000)
    waitFor(pool, 200)
    expect(ends).toEqual([])
    pool.thread(0).loaded(['work'], ['cpu'])
    waitFor(pool, 500)
    expect([ends, pool.worker(0).isReady]).toEqual([[], true])
    pool.dispose()
  })
})

describe('a real one', () => {
  for (const how of ['setup', 'module', 'spins', 'throws late'] as const) {
    caseTest(`is ended and told: ${how}`, async ({ brokenPool }) => {
      const module = fixtureUrl('never-ready.mjs')
      const pool = brokenPool({ module: `${module}?${how.replace(' ', '-')}`, startTimeoutMs: 400 })
      const ready = errorOf(LIMIT_MS, pool.ready())
      expect(await errorOf(LIMIT_MS, pool.run('plus', 1))).toMatchObject({ code: 'EVENKEEL_MODULE_LOAD' })
      expect(await ready).toMatchObject({ code: 'EVENKEEL_MODULE_LOAD' })
      await within(LIMIT_MS, pool.close())
    })
  }

  caseTest('that takes its time is waited for', async ({ pool: open }) => {
    const pool = open({ module: `${fixtureUrl('never-ready.mjs')}?slow`, startTimeoutMs: 10_000 })
    expect(await within(LIMIT_MS, pool.run('plus', 1))).toBe(2)
  })
})

describe('readiness', () => {
  test('all who wait hear of it, and nobody hears twice', async () => {
    const readiness = new Readiness()
    const first = [readiness.wait(1), readiness.wait(1)]
    expect(readiness.size).toBe(2)
    readiness.reached(1, 4)
    await expect(Promise.all(first)).resolves.toEqual([undefined, undefined])
    expect(readiness.size).toBe(0)
    const second = readiness.wait(1)
    readiness.failed(new Error('cannot load'))
    await expect(second).rejects.toThrow('cannot load')
    readiness.failed(new Error('nobody waits'))
    expect(readiness.size).toBe(0)
  })

  test('one who waits again from within the answer is not answered by it', async () => {
    const readiness = new Readiness()
    const again = readiness.wait(1).then(() => readiness.wait(1))
    readiness.reached(1, 4)
    await undefined
    await undefined
    expect(readiness.size).toBe(1)
    readiness.reached(1, 4)
    await again
  })

  test('who waits for more workers waits longer, but for no more than there may be', async () => {
    const readiness = new Readiness()
    const order: number[] = []
    const waits = [3, 1, 8].map((workers) => readiness.wait(workers).then(() => order.push(workers)))
    readiness.reached(2, 4)
    await waits[1]
    expect([order, readiness.size]).toEqual([[1], 2])
    readiness.reached(3, 4)
    await waits[0]
    expect([order, readiness.size]).toEqual([[1, 3], 1])
    readiness.reached(3, 3)
    await waits[2]
    expect(order).toEqual([1, 3, 8])
  })
})
