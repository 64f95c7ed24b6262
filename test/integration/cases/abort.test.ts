/** Aborts at every stage: before, queued, posted, running, just finished. */

import { getEventListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { caseTest, SLACK } from '../../support/case-host.js'
import { errorOf, settledWithin, within } from '../../support/outcome.js'

const SECOND_MS = 1_000 * SLACK
const ABORTED = { code: 'EVENKEEL_ABORTED', name: 'AbortError', retryable: false }

const REASONS: readonly { what: string; reason: unknown }[] = [
  { what: 'an error', reason: new Error('why') },
  { what: 'a text', reason: 'why' },
  { what: 'null', reason: null },
  { what: 'a function', reason: () => 'why' },
  { what: 'a symbol', reason: Symbol('why') },
]

describe('a signal that is already aborted', () => {
  for (const { what, reason } of REASONS) {
    caseTest(`rejects at once with the reason, and nothing starts: ${what}`, async ({ pool }) => {
      const one = pool()
      await one.ready()
      const startedBefore = one.snapshot().workers[0]!.started
      const error = await errorOf(50 * SLACK, one.run('plus', 1, { signal: AbortSignal.abort(reason) }))
      expect(error).toMatchObject(ABORTED)
      expect(error.cause).toBe(reason)
      expect(one.snapshot()).toMatchObject({ queued: 0, running: 0 })
      expect(one.snapshot().workers[0]!.started).toBe(startedBefore)
    })
  }

  caseTest('rejects on a pool that still starts, is full or is busy', async ({ pool }) => {
    const one = pool({ maxQueue: 1 })
    const signal = AbortSignal.abort(new Error('why'))
    expect(await errorOf(SECOND_MS, one.run('plus', 1, { signal }))).toMatchObject(ABORTED)
    const busy = [one.run('nap', 100), one.run('nap', 10)]
    expect(await errorOf(50 * SLACK, one.run('plus', 1, { signal }))).toMatchObject(ABORTED)
    expect(await settledWithin(SECOND_MS, busy)).toEqual([100, 10])
  })
})

describe('an aborted task that waits', () => {
  caseTest('is gone at once, and does not start', async ({ pool }) => {
    const one = pool()
    await one.ready()
    const nap = one.run('nap', 500)
    const stop = new AbortController()
    const [first, second, third] = [
      one.run('mark', 1),
      errorOf(SECOND_MS, one.run('mark', 2, { signal: stop.signal })),
      one.run('mark', 3),
    ]
    await sleep(50)
    stop.abort()
    expect(await within(100 * SLACK, second)).toMatchObject(ABORTED)
    await within(SECOND_MS, Promise.all([nap, first, third]))
    expect(await one.run('marks')).toEqual([1, 3])
  })

  caseTest('strands none of those behind it, whichever are aborted', async ({ pool }) => {
    const two = pool({ workers: 2 })
    for (const gone of [(i: number) => i === 0, (i: number) => i % 2 === 0, (i: number) => i > 30, () => true]) {
      const stop = new AbortController()
      const isOver = new Int32Array(new SharedArrayBuffer(4))
      const parked = [two.run('park', isOver), two.run('park', isOver)]
      while (two.snapshot().running < 2) await sleep(1)
      const calls = Array.from({ length: 40 }, (_, i) => two.run('echo', i, gone(i) ? { signal: stop.signal } : {}))
      const settled = settledWithin(SECOND_MS, calls)
      await sleep(5)
      stop.abort()
      Atomics.store(isOver, 0, 1)
      Atomics.notify(isOver, 0)
      for (const [i, outcome] of (await settled).entries()) {
        if (gone(i)) expect(outcome).toMatchObject(ABORTED)
        else expect(outcome).toBe(i)
      }
      await within(SECOND_MS, Promise.all(parked))
      expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0)
    }
  })

  caseTest('while the threads still start is removed like any other', async ({ pool }) => {
    const one = pool()
    const stop = new AbortController()
    const calls = Array.from({ length: 20 }, (_, i) => one.run('echo', i, i % 2 === 0 ? { signal: stop.signal } : {}))
    const settled = settledWithin(SECOND_MS, calls)
    stop.abort()
    for (const [i, outcome] of (await settled).entries()) {
      if (i % 2 === 0) expect(outcome).toMatchObject(ABORTED)
      else expect(outcome).toBe(i)
    }
  })

  caseTest('for its next attempt is not tried again', async ({ pool }) => {
    const one = pool()
    const stop = new AbortController()
    const retries = { times: 50, on: 'any', backoffMs: 5_000 } as const
    const error = errorOf(SECOND_MS, one.run('fail', 'again', { signal: stop.signal, retries }))
    await within(SECOND_MS, one.run('plus', 1))
    await sleep(20)
    stop.abort()
    expect(await error).toMatchObject(ABORTED)
    expect(one.snapshot()).toMatchObject({ queued: 0, running: 0 })
  })

  caseTest('by the ten thousands costs the host little, and no more than in proportion', async ({ pool }) => {
    const one = pool()
    await one.ready()
    const release = new AbortController()
    const busy = errorOf(SECOND_MS * 4, one.run('napUntilAborted', 120_000, { signal: release.signal }))
    const abortMs = async (count: number): Promise<number> => {
      const stop = new AbortController()
      const calls = Array.from({ length: count }, () => one.run('plus', 1, { signal: stop.signal }))
      const settled = Promise.allSettled(calls)
      await sleep(0)
      const beganMs = performance.now()
      stop.abort()
      const spentMs = performance.now() - beganMs
      for (const { status } of await within(SECOND_MS, settled)) expect(status).toBe('rejected')
      return spentMs
    }
    await abortMs(5_000)
    const few = Math.min(await abortMs(20_000), await abortMs(20_000))
    const many = Math.min(await abortMs(60_000), await abortMs(60_000))
    expect(many).toBeLessThan(150 * SLACK)
    expect(many / few).toBeLessThan(4 * SLACK)
    release.abort()
    expect(await busy).toMatchObject(ABORTED)
  })

  caseTest('with a gigabyte of payload in the queue lets go of it', async ({ pool }) => {
    const one = pool()
    await one.ready()
    const busy = one.run('nap', 300)
    // One buffer a thousand times: the queue holds what a caller gave it, not copies.
    const block = new Uint8Array(1_048_576)
    const stop = new AbortController()
    const calls = Array.from({ length: 1_000 }, () => one.run('len', block, { signal: stop.signal }))
    const settled = settledWithin(SECOND_MS, calls)
    await sleep(20)
    const heldBytes = process.memoryUsage().arrayBuffers
    stop.abort()
    for (const outcome of await settled) expect(outcome).toMatchObject(ABORTED)
    expect(heldBytes).toBeLessThan(200 * 1_048_576)
    await within(SECOND_MS, busy)
  })
})

describe('an aborted task that runs', () => {
  for (const task of ['napUntilAborted', 'napIoUntilAborted']) {
    caseTest(`sees it, cleans up, and keeps its thread: ${task}`, async ({ pool }) => {
      const one = pool({ graceMs: 500 * SLACK })
      const thread = await one.run('tid')
      const stop = new AbortController()
      const error = errorOf(SECOND_MS, one.run(task, 20_000, { signal: stop.signal }))
      await sleep(50)
      stop.abort(new Error('why'))
      expect(await error).toMatchObject({ ...ABORTED, cause: { message: 'why' } })
      expect(await one.run('marks')).toEqual(['cleaned'])
      expect(await one.run('tid')).toBe(thread)
    })
  }

  caseTest('sees it in a loop that never yields', async ({ pool }) => {
    const one = pool({ graceMs: 500 * SLACK })
    const thread = await one.run('tid')
    const stop = new AbortController()
    const error = errorOf(SECOND_MS, one.run('spinUntilAborted', undefined, { signal: stop.signal }))
    await sleep(50)
    stop.abort()
    expect(await error).toMatchObject(ABORTED)
    expect(await one.run('tid')).toBe(thread)
  })

  for (const task of ['forever', 'park', 'never', 'neverIo']) {
    caseTest(`and does not listen ends after the grace time: ${task}`, async ({ pool }) => {
      const one = pool({ graceMs: 50 })
      await one.run('tid')
      const stop = new AbortController()
      const error = errorOf(SECOND_MS, one.run(task, undefined, { signal: stop.signal }))
      const queued = task === 'neverIo' ? [] : [one.run('plus', 1), one.run('plus', 2)]
      await sleep(60)
      stop.abort()
      expect(await error).toMatchObject(ABORTED)
      expect(await settledWithin(SECOND_MS, queued)).toEqual(queued.map((_, i) => i + 2))
    })
  }

  caseTest('beside others with the same signal: all end, none of the rest', async ({ pool }) => {
    const two = pool({ workers: 2, graceMs: 50 })
    await two.ready()
    const stop = new AbortController()
    const { signal } = stop
    const calls = ['forever', 'never', 'napIoUntilAborted', 'neverIo'].map((task) => two.run(task, 20_000, { signal }))
    const ended = settledWithin(SECOND_MS, calls)
    const others = Array.from({ length: 20 }, (_, i) => two.run('plus', i))
    await sleep(100)
    stop.abort()
    for (const outcome of await ended) expect(outcome).toMatchObject(ABORTED)
    expect(await settledWithin(SECOND_MS, others)).toEqual(others.map((_, i) => i + 1))
  })

  caseTest('never ends the task that follows it', async ({ pool }) => {
    const one = pool({ graceMs: 30 })
    for (let round = 0; round < 5; round++) {
      const stop = new AbortController()
      const error = errorOf(SECOND_MS, one.run('napUntilAborted', 20_000, { signal: stop.signal }))
      await sleep(10)
      stop.abort()
      const next = one.run('nap', 100)
      expect(await error).toMatchObject(ABORTED)
      expect(await within(SECOND_MS, next)).toBe(100)
    }
  })
})

caseTest('an abort just as the answer comes is either the answer or an abort, a hundred times', async ({ pool }) => {
  const one = pool()
  await one.ready()
  for (let round = 0; round < 100; round++) {
    const stop = new AbortController()
    const call = one.run('nap', 12, { signal: stop.signal })
    const settled = settledWithin(SECOND_MS, [call])
    await sleep(11 + (round % 3))
    stop.abort()
    const [outcome] = await settled
    if (outcome !== 12) expect(outcome).toMatchObject(ABORTED)
  }
})

describe('one signal for thousands of tasks', () => {
  caseTest('carries one listener, none in the end, and warns nobody', async ({ pool }) => {
    const two = pool({ workers: 2 })
    const { signal } = new AbortController()
    const calls = Array.from({ length: 3_000 }, (_, i) => two.run('plus', i, { signal }))
    expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(1)
    await settledWithin(SECOND_MS, calls)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  caseTest('leaves none either when they reject, are refused, or the signal has fired', async ({ pool }) => {
    const one = pool({ maxQueue: 5 })
    const stop = new AbortController()
    const { signal } = stop
    const calls = [
      one.run('fail', 'x', { signal }),
      one.run('noSuchTask', 1, { signal }),
      one.run('echo', () => 1, { signal }),
    ]
    for (let i = 0; i < 30; i++) calls.push(one.run('plus', i, { signal }))
    await settledWithin(SECOND_MS, calls)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    stop.abort()
    expect(await one.run('plus', 1)).toBe(2)
  })

  caseTest('may be one of several made from it', async ({ pool }) => {
    const one = pool({ graceMs: 50 })
    const stop = new AbortController()
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(60_000)])
    const calls = [one.run('never', 0, { signal }), one.run('plus', 1, { signal })]
    const settled = settledWithin(SECOND_MS, calls)
    await sleep(30)
    stop.abort(new Error('any'))
    for (const outcome of await settled) expect(outcome).toMatchObject({ ...ABORTED, cause: { message: 'any' } })
  })

  caseTest('may be a time-out of the platform', async ({ pool }) => {
    const error = await errorOf(SECOND_MS, pool({ graceMs: 50 }).run('never', 0, { signal: AbortSignal.timeout(50) }))
    expect(error).toMatchObject({ ...ABORTED, cause: { name: 'TimeoutError' } })
  })
})
