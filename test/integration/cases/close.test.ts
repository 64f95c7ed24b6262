/** The end of a pool, from every state it may be in. */

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { caseTest, SLACK } from '../../support/case-host.js'
import { errorOf, fixtureUrl, type ReportedError, settledWithin, within } from '../../support/outcome.js'

const SECOND_MS = 1_000 * SLACK
const CLOSED = { code: 'EVENKEEL_CLOSED' }

describe('closing by force', () => {
  caseTest('rejects queued and running tasks at once', async ({ closingPool }) => {
    const one = closingPool()
    await one.ready()
    const naps = settledWithin(
      SECOND_MS,
      Array.from({ length: 6 }, () => one.run('nap', 60_000)),
    )
    await sleep(20)
    const beganMs = performance.now()
    const closed = one.close({ force: true })
    for (const outcome of await naps) expect(outcome).toMatchObject(CLOSED)
    await within(SECOND_MS, closed)
    expect(performance.now() - beganMs).toBeLessThan(200 * SLACK)
  })

  for (const task of ['forever', 'park', 'never', 'neverIo', 'nap', 'napIo', 'spin']) {
    caseTest(`ends what runs, and what waits behind it: ${task}`, async ({ closingPool }) => {
      const two = closingPool({ workers: 2 })
      await two.ready()
      const calls = Array.from({ length: 10 }, () => two.run(task, 60_000))
      for (let i = 0; i < 200; i++) calls.push(two.run('mark', i, { priority: i % 3, ...(i % 2 ? { key: 'a' } : {}) }))
      const settled = settledWithin(SECOND_MS, calls)
      await sleep(30)
      await within(SECOND_MS, two.close({ force: true }))
      for (const outcome of (await settled).slice(0, 10)) expect(outcome).toMatchObject(CLOSED)
    })
  }

  caseTest('rejects tasks that wait for their next attempt, for room and for readiness', async ({ closingPool }) => {
    const one = closingPool({ module: fixtureUrl('slow-start.mjs'), workerData: { bootMs: 60_000 } })
    const ready = errorOf(SECOND_MS, one.ready())
    const waiting = errorOf(SECOND_MS, one.run('plus', 1))
    const two = closingPool()
    const retries = { times: 9, on: 'any', backoffMs: 60_000 } as const
    const delayed = errorOf(SECOND_MS, two.run('fail', 'x', { retries }))
    await two.run('plus', 1)
    await within(SECOND_MS, Promise.all([one.close({ force: true }), two.close({ force: true })]))
    for (const error of [await ready, await waiting, await delayed]) expect(error).toMatchObject(CLOSED)
  })

  caseTest('cuts a patient close short', async ({ closingPool }) => {
    const one = closingPool()
    const endless = errorOf(SECOND_MS, one.run('never'))
    const patient = one.close()
    await sleep(30)
    await within(SECOND_MS, one.close({ force: true }))
    await within(SECOND_MS, patient)
    expect(await endless).toMatchObject(CLOSED)
  })

  caseTest('twice is the same as once', async ({ closingPool }) => {
    const one = closingPool()
    const endless = errorOf(SECOND_MS, one.run('forever'))
    await within(SECOND_MS, Promise.all([one.close({ force: true }), one.close({ force: true }), one.close()]))
    expect(await endless).toMatchObject(CLOSED)
  })

  caseTest('ends a map in the middle', async ({ closingPool }) => {
    const one = closingPool()
    const drain = async () => {
      let seen = 0
      for await (const { value } of one.map('nap', [1, 60_000, 60_000])) {
        expect(value).toBe(1)
        if (++seen === 1) void one.close({ force: true })
      }
    }
    expect(await errorOf(SECOND_MS, drain())).toMatchObject(CLOSED)
    await within(SECOND_MS, one.close())
  })
})

describe('closing', () => {
  caseTest('finishes what is queued and running, however unequal', async ({ closingPool }) => {
    for (const workers of [1, 2, 4]) {
      const pool = closingPool({ workers })
      const calls = [pool.run('nap', 150), pool.run('napIo', 200), pool.run('spin', 20)]
      for (let i = 0; i < 300; i++) calls.push(pool.run('plus', i))
      const closed = pool.close()
      const outcomes = await settledWithin(SECOND_MS * 2, calls)
      expect(outcomes).toEqual([150, 200, 20, ...Array.from({ length: 300 }, (_, i) => i + 1)])
      await within(SECOND_MS, closed)
    }
  })

  caseTest('gives every caller the same promise, during and after', async ({ closingPool }) => {
    const one = closingPool()
    const nap = one.run('nap', 200)
    const first = one.close()
    expect(one.close()).toBe(first)
    expect(one[Symbol.asyncDispose]()).toBe(first)
    await within(SECOND_MS, first)
    await within(SECOND_MS, one.close())
    expect(await nap).toBe(200)
  })

  caseTest('refuses tasks from then on, and holds no thread', async ({ closingPool }) => {
    const one = closingPool()
    await one.run('plus', 1)
    const closed = one.close()
    expect(await errorOf(SECOND_MS, one.run('plus', 1))).toMatchObject(CLOSED)
    await within(SECOND_MS, closed)
    expect(await errorOf(SECOND_MS, one.run('plus', 1))).toMatchObject(CLOSED)
    expect(await errorOf(SECOND_MS, one.ready())).toMatchObject(CLOSED)
    await within(SECOND_MS, one.idle())
    await sleep(50)
    expect(one.snapshot().workers.map(({ state, threadId }) => [state, threadId])).toEqual([['dead', -1]])
  })

  for (const task of ['never', 'neverIo', 'forever', 'park']) {
    caseTest(`does not wait beyond its limit for what never ends: ${task}`, async ({ closingPool }) => {
      const one = closingPool()
      await one.ready()
      const endless = errorOf(SECOND_MS, one.run(task))
      const beganMs = performance.now()
      await within(SECOND_MS, one.close({ timeoutMs: 500 }))
      expect(performance.now() - beganMs).toBeLessThan(700 * SLACK)
      expect(await endless).toMatchObject(CLOSED)
    })
  }

  caseTest('while a worker is stalled finishes the others’ work, then ends it', async ({ closingPool }) => {
    const two = closingPool({ workers: 2, stallMs: 50, stallUnknownMs: 50 })
    await two.ready()
    const stalled = errorOf(SECOND_MS, two.run('forever'))
    await sleep(120)
    const calls = Array.from({ length: 100 }, (_, i) => two.run('plus', i))
    const closed = two.close({ timeoutMs: 600 })
    expect(await settledWithin(SECOND_MS, calls)).toEqual(calls.map((_, i) => i + 1))
    await within(SECOND_MS, closed)
    expect(await stalled).toMatchObject(CLOSED)
  })

  caseTest('works in every state of the start', async ({ closingPool }) => {
    await within(SECOND_MS, closingPool({ workers: 3 }).close())
    await within(SECOND_MS, closingPool({ workers: { min: 0, max: 2 } }).close())
    for (const afterMs of [0, 10, 30, 60]) {
      const two = closingPool({ workers: 2 })
      const call = two.run('plus', 1)
      await sleep(afterMs)
      await within(SECOND_MS, two.close())
      expect(await call).toBe(2)
    }
  })

  caseTest('works while threads die', async ({ closingPool }) => {
    for (const afterMs of [0, 5, 20, 40]) {
      const two = closingPool({ workers: 2 })
      await two.ready()
      const crashes = settledWithin(SECOND_MS, [two.run('exit', 1), two.run('exit', 2), two.run('lateThrow', 15)])
      await sleep(afterMs)
      const closed = two.close({ timeoutMs: 2_000 })
      for (const outcome of await crashes)
        expect((outcome as ReportedError).code).toMatch(/^EVENKEEL_(WORKER_EXIT|LOST|CLOSED)/)
      await within(SECOND_MS, closed)
    }
  })

  caseTest('starts no thread again: not a dead one, not one that waits for its back-off', async ({ closingPool }) => {
    const two = closingPool({ workers: 2 })
    const restarts: unknown[] = []
    await two.ready()
    await settledWithin(
      SECOND_MS,
      Array.from({ length: 4 }, (_, i) => two.run('exit', i)),
    )
    const closed = two.close()
    two.on('restart', (event) => restarts.push(event))
    await within(SECOND_MS, closed)
    await sleep(300)
    expect(restarts).toEqual([])
    expect(two.snapshot().workers.map(({ state }) => state)).toEqual(['dead', 'dead'])
  })

  caseTest('ends threads whose module keeps the event loop busy', async ({ closingPool }) => {
    const one = closingPool({ module: fixtureUrl('open-handles.mjs') })
    expect(await one.run('plus', 1)).toBe(2)
    await within(SECOND_MS, one.close())
  })

  caseTest('from inside an event, or from an answer, is as good', async ({ closingPool }) => {
    const one = closingPool()
    one.on('exit', () => void one.close())
    await errorOf(SECOND_MS, one.run('exit', 1))
    await within(SECOND_MS, one.close())
    const two = closingPool()
    await within(
      SECOND_MS,
      two.run('plus', 1).then(() => two.close()),
    )
  })

  caseTest(
    'forty times over four threads raises no error event',
    async ({ closingPool }) => {
      const errors: unknown[] = []
      const exits: boolean[] = []
      for (let round = 0; round < 40; round++) {
        const four = closingPool({ workers: 4 })
        four.on('error', (error) => errors.push(error))
        four.on('exit', ({ expected }) => exits.push(expected))
        expect(await within(SECOND_MS, four.run('plus', round))).toBe(round + 1)
        await within(SECOND_MS, four.close())
      }
      expect(errors).toEqual([])
      expect(exits).toHaveLength(160)
      expect(exits).not.toContain(false)
    },
    120_000,
  )

  caseTest('refuses options that are none', async ({ pool }) => {
    const one = pool()
    for (const options of [{ force: 1 }, { timeoutMs: -1 }, { timeoutMs: Number.NaN }, { now: true }, 5] as object[]) {
      expect(() => one.close(options)).toThrow(expect.objectContaining({ code: 'EVENKEEL_INVALID_OPTION' }))
    }
  })
})

describe('many pools', () => {
  caseTest(
    'add no listeners to the process, nor does one of many threads',
    async ({ closingPool }) => {
      const count = () =>
        ['exit', 'beforeExit', 'SIGINT', 'SIGTERM', 'warning', 'uncaughtException'].map((name) =>
          process.listenerCount(name),
        )
      const before = count()
      const pools = Array.from({ length: 12 }, () => closingPool())
      pools.push(closingPool({ workers: 12 }))
      expect(
        await settledWithin(
          SECOND_MS * 5,
          pools.map((pool, i) => pool.run('plus', i)),
        ),
      ).toEqual(pools.map((_, i) => i + 1))
      const during = count()
      await within(SECOND_MS * 5, Promise.all(pools.map((pool) => pool.close())))
      // A constant number for all of them would be fine; one per pool or thread would not.
      for (const [i, listeners] of during.entries()) expect(listeners - before[i]!).toBeLessThanOrEqual(1)
      expect(count()).toEqual(before)
    },
    60_000,
  )
})
