import { afterEach, describe, expect, test } from 'vitest'
import { FakePool } from '../../support/fake-pool.js'

let pool: FakePool
afterEach(() => pool.dispose())

describe('a worker that is to end although it holds work', () => {
  test('gives back what it has not started, finishes what it runs, and is replaced', () => {
    pool = FakePool.loaded({ workers: 2, window: 3, takeBack: false })
    const running = pool.run('work', 'running')
    pool.core.router.flush()
    const held = pool.thread(0).start()!
    const slots = [0, 1, 2].map((index) => pool.run('work', index))
    expect(slots.some(({ task }) => task.slot === 0)).toBe(true)
    const thread = pool.thread(0)
    pool.core.crew.recycle(pool.worker(0))
    expect(pool.worker(0).state).toBe('starting')
    thread.end(held, 'ended')
    thread.answer()
    pool.runAll()
    pool.runAll()
    expect(running.ends).toEqual([['ok', 'ended']])
    expect(slots.every(({ ends }) => ends.length === 1)).toBe(true)
    pool.finishStops()
    expect(pool.worker(0).state).toBe('starting')
    expect(pool.supervisor.threads).toHaveLength(3)
  })
})

describe('a worker that is silent beyond stallKillMs', () => {
  test('is ended; the task that holds its turn is to blame, the rest runs elsewhere', async () => {
    pool = FakePool.loaded({ workers: 1, window: 3, takeBack: false, stallKillMs: 300, stallUnknownMs: 250 })
    const culprit = pool.run('work', 'culprit')
    const innocent = pool.run('work', 'innocent')
    pool.deliver()
    pool.thread(0).wake()
    pool.thread(0).start()
    pool.clock.advance(310)
    expect(culprit.ends).toEqual([
      [
        'failed',
        expect.objectContaining({ code: 'EVENKEEL_WORKER_EXIT', message: expect.stringContaining('no sign of life') }),
      ],
    ])
    expect(pool.supervisor.threads[0]!.terminations).toBeGreaterThan(0)
    await undefined
    pool.load()
    pool.runAll()
    expect(innocent.ends).toEqual([['ok', 'innocent']])
  })

  test('is ended also while it drains beside its successor', () => {
    pool = FakePool.loaded({ workers: 1, takeBack: false, stallKillMs: 300, stallUnknownMs: 250 })
    const { ends } = pool.run('work')
    pool.deliver()
    const thread = pool.thread(0)
    thread.wake()
    thread.start()
    pool.core.crew.recycle(pool.worker(0))
    pool.load()
    pool.clock.advance(310)
    expect(ends).toMatchObject([['failed', { code: 'EVENKEEL_WORKER_EXIT' }]])
    expect([thread.dead, pool.worker(0).state]).toEqual([true, 'idle'])
  })

  test('is left alone when its answer was in the port all the time', () => {
    pool = FakePool.loaded({ workers: 1, stallKillMs: 300 })
    const { ends } = pool.run('work', 'ready')
    pool.core.router.flush()
    pool.thread(0).wake()
    pool.thread(0).runAll()
    pool.clock.advance(400)
    expect(ends).toEqual([['ok', 'ready']])
    expect(pool.thread(0).terminations).toBe(0)
  })
})
