/** Tasks that have a worker for themselves, among others that do not. */

import { describe, expect } from 'vitest'
import { caseTest, SLACK } from '../../support/case-host.js'
import { fixtureUrl, within } from '../../support/outcome.js'

const module = fixtureUrl('side-by-side.mjs')
const LIMIT_MS = 20_000 * SLACK

describe('an exclusive task', () => {
  caseTest('runs beside nothing else of its worker, and all others run', async ({ pool }) => {
    const some = pool({ module, workers: 2 })
    const calls = Array.from({ length: 120 }, (_, at) => {
      const name = at % 3 === 0 ? 'waitsIo' : 'computes'
      return some.run(name, { id: at, ms: at % 4 }, at % 5 === 0 ? { exclusive: true } : {})
    })
    const beside = (await within(LIMIT_MS, Promise.all(calls))) as number[]
    expect(beside.filter((_, at) => at % 5 === 0)).toEqual(Array(24).fill(0))
    // Others do run side by side.
    expect(Math.max(...beside)).toBeGreaterThan(0)
  })

  caseTest('that is aborted leaves its worker to others', async ({ pool }) => {
    const one = pool({ module, workers: 1, graceMs: 0 })
    const controller = new AbortController()
    const blocked = one.run('blocks', { ms: 60_000 }, { exclusive: true, signal: controller.signal })
    const waiting = one.run('blocks', { ms: 60_000 }, { exclusive: true, signal: controller.signal })
    const next = one.run('computes', { id: 1, ms: 0 })
    while (one.snapshot().running === 0) await new Promise((turn) => setTimeout(turn, 5))
    controller.abort()
    await expect(blocked).rejects.toMatchObject({ code: 'EVENKEEL_ABORTED' })
    await expect(waiting).rejects.toMatchObject({ code: 'EVENKEEL_ABORTED' })
    expect(await within(LIMIT_MS, next)).toBe(0)
  })
})

describe('what the pool tells of its threads', () => {
  caseTest('a worker that has loaded the module, what its code posts, and the thread itself', async ({ pool }) => {
    const one = pool({ module, workers: 1 })
    const news: unknown[] = []
    one.on('online', ({ slot, startMs }) => news.push(['online', slot, startMs > 0]))
    one.on('message', ({ slot, message }) => news.push(['message', slot, message]))
    expect(await within(LIMIT_MS, one.run('posts', { any: 'thing' }))).toBe('posted')
    for (let turn = 0; news.length < 2 && turn < 200; turn++) await new Promise((turned) => setTimeout(turned, 5))
    expect(news).toEqual([
      ['online', 0, true],
      ['message', 0, { any: 'thing' }],
    ])
    expect(one.threads.map(({ threadId }) => threadId)).toEqual([one.snapshot().workers[0]!.threadId])
  })
})
