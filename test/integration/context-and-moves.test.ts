import { AsyncLocalStorage } from 'node:async_hooks'
import { MessageChannel } from 'node:worker_threads'
import { describe, expect } from 'vitest'
import { caseTest } from '../support/case-host.js'
import { errorOf, fixtureUrl, within } from '../support/outcome.js'

const LIMIT_MS = 20_000

describe('the context of the caller', () => {
  caseTest('is there in onProgress, each call with its own', async ({ pool: open }) => {
    const pool = open({ module: fixtureUrl('progress.mjs'), workers: 2 })
    const store = new AsyncLocalStorage<number>()
    const seen = await within(
      LIMIT_MS,
      Promise.all(
        Array.from({ length: 50 }, (_, request) =>
          store.run(request, async () => {
            const stores = new Set<unknown>()
            await pool.run('steps', 3, { onProgress: () => stores.add(store.getStore()) })
            return [...stores, store.getStore()]
          }),
        ),
      ),
    )
    expect(seen).toEqual(Array.from({ length: 50 }, (_, request) => [request, request]))
  })
})

describe('what is moved', () => {
  caseTest('to the caller is gone from the worker, and not copied', async ({ pool: open }) => {
    const pool = open({ module: fixtureUrl('moving.mjs') })
    const buffer = (await within(LIMIT_MS, pool.run('give', 10_000_000))) as ArrayBuffer
    expect([buffer.byteLength, await pool.run('lengthHere')]).toEqual([10_000_000, 0])
  })

  caseTest('to the caller a second time rejects, and says so', async ({ pool: open }) => {
    const pool = open({ module: fixtureUrl('moving.mjs') })
    expect(await within(LIMIT_MS, pool.run('giveAgain'))).toHaveProperty('byteLength', 64)
    const error = await errorOf(LIMIT_MS, pool.run('giveAgain'))
    expect(error).toMatchObject({ code: 'EVENKEEL_CLONE', name: 'DataCloneError', task: 'giveAgain' })
    expect(error.message).toMatch(/moved|detached/)
  })

  caseTest('to a worker a second time rejects, and says so', async ({ pool: open }) => {
    const pool = open({ module: fixtureUrl('moving.mjs'), workers: 2 })
    const buffer = new ArrayBuffer(64)
    const first = pool.run('lengthOf', buffer, { transfer: [buffer] })
    const second = errorOf(LIMIT_MS, pool.run('lengthOf', buffer, { transfer: [buffer] }))
    expect(await within(LIMIT_MS, first)).toBe(64)
    expect(await second).toMatchObject({ code: 'EVENKEEL_CLONE', task: 'lengthOf' })
    expect((await second).message).toMatch(/moved|detached/)
  })

  caseTest('with a progress value is moved, not copied, and arrives unwrapped', async ({ pool: open }) => {
    const pool = open({ module: fixtureUrl('moving.mjs') })
    const values: unknown[] = []
    const left = await within(LIMIT_MS, pool.run('tell', 1_000, { onProgress: (value) => values.push(value) }))
    expect(left).toBe(0)
    expect(values).toEqual([new ArrayBuffer(1_000)])
    // Nobody listens, so nothing leaves.
    expect(await within(LIMIT_MS, pool.run('tell', 1_000))).toBe(1_000)
  })

  caseTest('may be a port, over which the task speaks', async ({ pool: open }) => {
    const pool = open({ module: fixtureUrl('moving.mjs') })
    const { port1, port2 } = new MessageChannel()
    const heard = new Promise((resolve) => port1.once('message', resolve))
    await within(LIMIT_MS, pool.run('post', { port: port2, text: 'hello' }, { transfer: [port2] }))
    expect(await within(LIMIT_MS, heard)).toBe('hello')
    const again = errorOf(LIMIT_MS, pool.run('post', { port: port2, text: 'again' }, { transfer: [port2] }))
    expect((await again).message).toMatch(/moved|detached/)
  })
})
