/** Work behind a blocked worker: it moves, can be aborted and limited, and the worker may be ended. */

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { caseTest, SLACK } from '../../support/case-host.js'
import { errorOf, settledWithin, within } from '../../support/outcome.js'

const SECOND_MS = 1_000 * SLACK

for (const block of ['spin', 'park', 'spinIo']) {
  describe(`a worker blocked by ${block}`, () => {
    caseTest('holds up nothing but what it runs', async ({ pool }) => {
      const two = pool({ workers: 2 })
      for (let i = 0; i < 100; i++) await two.run('echo', i)
      const before = Array.from({ length: 100 }, (_, i) => two.run('echo', i))
      const end = new Int32Array(new SharedArrayBuffer(4))
      const blocked = two.run(block, end)
      const after = Array.from({ length: 400 }, (_, i) => two.run('echo', i))
      await settledWithin(SECOND_MS, [...before, ...after])
      Atomics.store(end, 0, 1)
      Atomics.notify(end, 0)
      await within(SECOND_MS, blocked)
    })

    caseTest('lets go of posted tasks that are aborted or run out of time', async ({ pool }) => {
      const one = pool()
      for (let i = 0; i < 100; i++) await one.run('echo', i)
      const end = new Int32Array(new SharedArrayBuffer(4))
      const blocked = one.run(block, end)
      const stop = new AbortController()
      const aborted = Array.from({ length: 20 }, (_, i) => one.run('echo', i, { signal: stop.signal }))
      const limited = Array.from({ length: 20 }, (_, i) => one.run('echo', i, { queueTimeoutMs: 60 }))
      const kept = Array.from({ length: 20 }, (_, i) => one.run('echo', i))
      await sleep(20)
      stop.abort()
      const codes = (await settledWithin(SECOND_MS, [...aborted, ...limited])).map(
        (error) => (error as { code: string }).code,
      )
      Atomics.store(end, 0, 1)
      Atomics.notify(end, 0)
      expect(new Set(codes.slice(0, 20))).toEqual(new Set(['EVENKEEL_ABORTED']))
      expect(new Set(codes.slice(20))).toEqual(new Set(['EVENKEEL_QUEUE_TIMEOUT']))
      expect(await settledWithin(SECOND_MS, kept)).toEqual(kept.map((_, i) => i))
      await blocked
    })

    caseTest('is ended after the time that was allowed, with its task, and replaced', async ({ pool }) => {
      const one = pool({ stallMs: 50, stallUnknownMs: 50, stallKillMs: 200 })
      const thread = await one.run('tid')
      const error = errorOf(SECOND_MS, one.run(block, 60_000))
      const waiting = Array.from({ length: 10 }, (_, i) => one.run('plus', i))
      expect((await error).code).toMatch(/^EVENKEEL_(WORKER_EXIT|LOST_WITH_WORKER)$/)
      expect(await settledWithin(SECOND_MS, waiting)).toEqual(waiting.map((_, i) => i + 1))
      expect(await one.run('tid')).not.toBe(thread)
    })
  })
}

describe('all workers blocked', () => {
  caseTest('is waited out, in order', async ({ pool }) => {
    const two = pool({ workers: 2 })
    await two.ready()
    const blocked = [two.run('spin', 400), two.run('park', 400)]
    const calls = Array.from({ length: 50 }, (_, i) => two.run('echo', i))
    expect(await settledWithin(SECOND_MS, [...blocked, ...calls])).toEqual([400, undefined, ...calls.map((_, i) => i)])
  })

  caseTest('and ended one after the other loses only what ran', async ({ pool }) => {
    const two = pool({ workers: 2, graceMs: 20 })
    await two.ready()
    const blocked = [two.run('forever', 0, { runTimeoutMs: 50 }), two.run('park', undefined, { runTimeoutMs: 80 })]
    const calls = Array.from({ length: 50 }, (_, i) => two.run('echo', i))
    const [first, second] = await settledWithin(SECOND_MS, blocked)
    for (const error of [first, second]) expect(error).toMatchObject({ code: 'EVENKEEL_TIMEOUT' })
    expect(await settledWithin(SECOND_MS, calls)).toEqual(calls.map((_, i) => i))
  })
})
