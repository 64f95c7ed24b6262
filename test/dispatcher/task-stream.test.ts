import { describe, expect } from 'vitest'
import type { Dispatcher } from '../../src/index.js'
import { caseTest } from '../support/case-host.js'
import { errorOf, fixtureUrl, within } from '../support/outcome.js'

const LIMIT_MS = 20_000
const streaming = { module: fixtureUrl('streaming.mjs') }

async function all(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = []
  for await (const item of items) seen.push(item)
  return seen
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)
const facts = (pool: Dispatcher) => pool.run('facts') as Promise<{ yielded: number; cleanedUp: number }>

describe('a stream', () => {
  for (const task of ['count', 'countIo']) {
    caseTest(`yields every item in order, then ends: ${task}`, async ({ pool: open }) => {
      const pool = open(streaming)
      expect(await within(LIMIT_MS, all(pool.stream(task, 500)))).toEqual(upTo(500))
      expect(await within(LIMIT_MS, all(pool.stream(task, 0)))).toEqual([])
      expect(await facts(pool)).toMatchObject({ cleanedUp: 2 })
      expect(pool.snapshot()).toMatchObject({ completed: 3, failed: 0 })
    })
  }

  caseTest('takes whatever can be iterated over, and nothing else', async ({ pool: open }) => {
    const pool = open(streaming)
    expect(await within(LIMIT_MS, all(pool.stream('later', 2)))).toEqual([1, 2])
    expect(await errorOf(LIMIT_MS, all(pool.stream('plus', 1)))).toMatchObject({ name: 'TypeError' })
  })

  caseTest('is what run() names to whoever calls a task that yields by it', async ({ pool: open }) => {
    const pool = open(streaming)
    for (const task of ['count', 'countIo']) {
      expect(await errorOf(LIMIT_MS, pool.run(task, 3))).toMatchObject({
        code: 'EVENKEEL_CLONE',
        path: 'result',
        message: expect.stringMatching(
          /: a generator; a task that yields items is called by stream\(\), not by run\(\)$/,
        ),
      })
    }
    expect(await within(LIMIT_MS, pool.run('facts'))).toMatchObject({ cleanedUp: 0 })
  })

  caseTest('is never more than 16 items ahead of the loop', async ({ pool: open }) => {
    const pool = open({ ...streaming, workers: 2 })
    const stream = pool.stream('countIo', 1_000, { key: 'a' })
    let taken = 0
    for await (const _ of stream) {
      if (++taken % 20 === 0) {
        await new Promise((resolve) => setTimeout(resolve, 10))
        const { yielded } = (await pool.run('facts', 0, { key: 'a' })) as { yielded: number }
        // One more is in the hands of the generator.
        expect(yielded).toBeLessThanOrEqual(taken + 17)
      }
      if (taken === 100) break
    }
    expect(taken).toBe(100)
  })

  caseTest('that is left ends the task, after its finally has run', async ({ pool: open }) => {
    const pool = open(streaming)
    for await (const item of pool.stream('count', 1_000_000)) if (item === 40) break
    const { yielded, cleanedUp } = await facts(pool)
    expect([cleanedUp, yielded < 100]).toEqual([1, true])
    for await (const item of pool.stream('slowIo')) if (item === 'first') break
    expect((await facts(pool)).cleanedUp).toBe(2)
    expect(pool.snapshot()).toMatchObject({ queued: 0, running: 0 })
  })

  caseTest('that is left and does not heed it is let go after the grace time', async ({ pool: open }) => {
    const pool = open({ ...streaming, graceMs: 20 })
    for await (const item of pool.stream('deafIo')) if (item === 'first') break
    expect(pool.snapshot()).toMatchObject({ queued: 0, running: 0 })
  })

  caseTest('throws what the task throws, after the items before it', async ({ pool: open }) => {
    const pool = open(streaming)
    const seen: unknown[] = []
    const failing = (async () => {
      for await (const item of pool.stream('fails', 30)) seen.push(item)
    })()
    expect(await errorOf(LIMIT_MS, failing)).toMatchObject({ name: 'RangeError', message: 'no more' })
    expect(seen).toEqual(upTo(30))
  })

  caseTest('says so when its worker dies on the way', async ({ pool: open }) => {
    const pool = open(streaming)
    const seen: unknown[] = []
    const dying = (async () => {
      for await (const item of pool.stream('exits', 10)) seen.push(item)
    })()
    expect(await errorOf(LIMIT_MS, dying)).toMatchObject({ code: 'EVENKEEL_WORKER_EXIT', exitCode: 7 })
    expect(seen).toEqual(upTo(10))
  })

  caseTest('names an item that cannot be cloned', async ({ pool: open }) => {
    const pool = open(streaming)
    expect(await errorOf(LIMIT_MS, all(pool.stream('unsendable')))).toMatchObject({
      code: 'EVENKEEL_CLONE',
      path: 'item',
    })
  })

  caseTest('moves items, and tells progress', async ({ pool: open }) => {
    const pool = open(streaming)
    const seen = (await within(LIMIT_MS, all(pool.stream('buffers', 40)))) as Uint8Array[]
    expect(seen.map((bytes) => bytes[999])).toEqual(upTo(40))
    const told: unknown[] = []
    expect(await all(pool.stream('tells', 0, { onProgress: (value) => told.push(value) }))).toEqual([1])
    expect(told).toEqual(['half'])
  })

  caseTest('ends by signal, by limit and by close', async ({ pool: open, closingPool }) => {
    const pool = open(streaming)
    const controller = new AbortController()
    const aborted = (async () => {
      for await (const _ of pool.stream('slowIo', 0, { signal: controller.signal })) controller.abort('enough')
    })()
    expect(await errorOf(LIMIT_MS, aborted)).toMatchObject({ code: 'EVENKEEL_ABORTED', cause: 'enough' })
    expect(await errorOf(LIMIT_MS, all(pool.stream('slowIo', 0, { signal: controller.signal })))).toMatchObject({
      cause: 'enough',
    })
    const limited = errorOf(LIMIT_MS, all(pool.stream('slowIo', 0, { runTimeoutMs: 10 })))
    expect(await limited).toMatchObject({ code: 'EVENKEEL_TIMEOUT' })
    const other = closingPool(streaming)
    const closed = errorOf(LIMIT_MS, all(other.stream('slowIo')))
    await other.ready()
    await within(LIMIT_MS, other.close({ force: true }))
    expect(await closed).toMatchObject({ code: 'EVENKEEL_CLOSED' })
  })

  caseTest('refuses options that make no sense for it', async ({ pool: open }) => {
    const pool = open(streaming)
    for (const options of [{ retries: { times: 1 } }, { share: 'a' }, { ordered: true }]) {
      const option = Object.keys(options)[0]
      expect(await errorOf(LIMIT_MS, all(pool.stream('count', 1, options as never)))).toMatchObject({ option })
    }
  })
})
