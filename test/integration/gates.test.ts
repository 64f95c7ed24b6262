import { describe, expect } from 'vitest'
import { caseTest } from '../support/case-host.js'
import { errorOf, within } from '../support/outcome.js'

const LIMIT_MS = 20_000

describe('a gate', () => {
  caseTest('lets no more be under way than it says, whatever the workers could do', async ({ pool: open }) => {
    const pool = open({ workers: 2, gates: { api: { concurrency: 3 } } })
    await pool.ready()
    let most = 0
    const runs = Array.from({ length: 60 }, () =>
      pool.run('napIo', 2, { gate: 'api' }).then(() => {
        most = Math.max(most, pool.snapshot().posted)
      }),
    )
    await within(LIMIT_MS, Promise.all(runs))
    expect(most).toBeLessThanOrEqual(3)
    expect(pool.snapshot()).toMatchObject({ completed: 60, queued: 0 })
  })

  caseTest('lets no more start in an interval than it says', async ({ pool: open }) => {
    const pool = open({ gates: { api: { intervalCap: 4, intervalMs: 100 } } })
    await pool.ready()
    const beganMs = performance.now()
    await within(LIMIT_MS, Promise.all(Array.from({ length: 12 }, () => pool.run('napIo', 0, { gate: 'api' }))))
    // Two further intervals have to begin; a timer of Node may be 1 ms early.
    expect(performance.now() - beganMs).toBeGreaterThan(195)
  })

  caseTest('keeps priority, tags, aborts and limits, and nobody else waits for it', async ({ pool: open }) => {
    const pool = open({ gates: { api: { concurrency: 1 } } })
    await pool.ready()
    // The first task of all loads what keeps the gate.
    await pool.run('plus', 1, { gate: 'api' })
    await new Promise(setImmediate)
    const order: string[] = []
    const run = (name: string, options: object, ms = 1) =>
      pool.run('napIo', ms, { gate: 'api', ...options }).then(() => void order.push(name))
    const controller = new AbortController()
    const first = run('first', {}, 1_000)
    // A fresh thread may look stuck on a busy machine: then the pass before goes back later.
    while (pool.snapshot().running === 0) await new Promise((turned) => setTimeout(turned, 1))
    const calls = [first, run('low', {}), run('high', { priority: 1 }), run('raised', { tag: 'a' })]
    const aborted = errorOf(LIMIT_MS, run('aborted', { signal: controller.signal }))
    const late = errorOf(LIMIT_MS, run('late', { queueTimeoutMs: 1, priority: -1 }))
    expect(await pool.run('plus', 1)).toBe(2)
    expect(pool.setPriority('a', 5)).toBe(1)
    controller.abort('no')
    expect(await aborted).toMatchObject({ cause: 'no' })
    expect(await late).toMatchObject({ code: 'EVENKEEL_QUEUE_TIMEOUT' })
    await within(LIMIT_MS, Promise.all(calls))
    expect(order).toEqual(['first', 'raised', 'high', 'low'])
  })

  caseTest('goes on after tasks that fail or lose their worker', async ({ pool: open }) => {
    const pool = open({ gates: { api: { concurrency: 1 } } })
    const gated = { gate: 'api' }
    const failed = errorOf(LIMIT_MS, pool.run('fail', 'no', gated))
    const lost = errorOf(LIMIT_MS, pool.run('exit', 3, gated))
    expect(await within(LIMIT_MS, pool.run('plus', 1, gated))).toBe(2)
    expect([(await failed).message, (await lost).code]).toEqual(['no', 'EVENKEEL_WORKER_EXIT'])
    expect(await errorOf(LIMIT_MS, pool.run('plus', 1, { gate: 'ftp' }))).toMatchObject({ option: 'gate' })
  })

  caseTest('is emptied by the close', async ({ closingPool }) => {
    const pool = closingPool({ gates: { api: { concurrency: 1 } } })
    const patient = Array.from({ length: 5 }, () => pool.run('plus', 1, { gate: 'api' }))
    await within(LIMIT_MS, pool.close())
    expect(await Promise.all(patient)).toEqual([2, 2, 2, 2, 2])
    const other = closingPool({ gates: { api: { concurrency: 1 } } })
    const left = Array.from({ length: 5 }, () => errorOf(LIMIT_MS, other.run('never', 1, { gate: 'api' })))
    await within(LIMIT_MS, other.close({ force: true }))
    expect((await Promise.all(left)).map(({ code }) => code)).toEqual(Array(5).fill('EVENKEEL_CLOSED'))
  })
})
