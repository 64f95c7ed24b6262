import { afterEach, describe, expect, test } from 'vitest'
import { FakePool } from '../../support/fake-pool.js'

let pool: FakePool
afterEach(() => pool.dispose())

describe('a delayed task', () => {
  test('is accepted and counted at once, and starts when its time has come', () => {
    pool = FakePool.loaded({ workers: 1 })
    const { task, ends } = pool.run('work', 'later', { delayMs: 100 })
    pool.runAll()
    expect([task.place, pool.core.ledger.unsettled]).toEqual(['delay', 1])
    pool.clock.advance(99)
    pool.runAll()
    expect(ends).toEqual([])
    pool.clock.advance(1)
    pool.runAll()
    expect(ends).toEqual([['ok', 'later']])
  })

  test('stands behind those that came to wait before its time', () => {
    pool = FakePool.loaded({ workers: 1, window: 1 })
    const running = pool.run('work', 0)
    pool.deliver()
    const held = pool.thread(0).start()!
    const delayed = pool.run('work', 1, { delayMs: 10 })
    const waiting = pool.run('work', 2)
    pool.clock.advance(10)
    const queue = [...pool.core.router.queues.cpu]
    expect(queue).toEqual([waiting.task, delayed.task])
    pool.thread(0).end(held, 0)
    pool.thread(0).answer()
    pool.runAll()
    expect([running, waiting, delayed].map(({ ends }) => ends.length)).toEqual([1, 1, 1])
  })

  test('is removed by its signal, and by the close', () => {
    pool = FakePool.loaded({ workers: 1 })
    const controller = new AbortController()
    const aborted = pool.run('work', 1, { delayMs: 100, signal: controller.signal })
    const closed = pool.run('work', 1, { delayMs: 100 })
    controller.abort('no')
    expect(aborted.ends).toMatchObject([['failed', { code: 'EVENKEEL_ABORTED', cause: 'no' }]])
    pool.core.rejectAll(() => new Error('closed'))
    expect(closed.ends).toMatchObject([['failed', { message: 'closed' }]])
    pool.clock.advance(1_000)
    expect([aborted.ends.length, closed.ends.length, pool.clock.timers]).toEqual([1, 1, 0])
  })

  test('has its limits counted from the end of the delay', () => {
    pool = FakePool.loaded({ workers: 1, window: 1 })
    pool.run('work', 'running')
    pool.deliver()
    pool.thread(0).start()
    const { ends } = pool.run('work', 1, { delayMs: 100, queueTimeoutMs: 50, deadlineMs: 60 })
    pool.clock.advance(145)
    expect(ends).toEqual([])
    pool.clock.advance(10)
    expect(ends).toMatchObject([['failed', { code: 'EVENKEEL_QUEUE_TIMEOUT' }]])
  })
})

test('a task that cannot be watched is rejected and goes nowhere', () => {
  pool = FakePool.loaded({ workers: 1 })
  const signal = {
    aborted: false,
    addEventListener() {
      throw new Error('deaf')
    },
  }
  const { ends } = pool.run('work', 1, { signal: signal as unknown as AbortSignal, delayMs: 5, tag: 'a' })
  expect(ends).toMatchObject([['failed', { message: 'deaf' }]])
  expect([...pool.core.delays, pool.core.earlyEnds.watched]).toEqual([0])
})

test('a gated task that waits for a worker of its own makes way for one that comes before it', async () => {
  pool = FakePool.loaded({ workers: 1, window: 2, gates: { few: { concurrency: 5 } } })
  await import('p-queue')
  const turn = () => new Promise(setImmediate)
  pool.run('work', 'running')
  pool.deliver()
  const held = pool.thread(0).start()!
  const buffer = new ArrayBuffer(8)
  const moved = pool.run('work', buffer, { gate: 'few', transfer: [buffer] })
  await turn()
  expect([pool.worker(0).reserved, moved.task.slot]).toEqual([moved.task, 0])
  const urgent = pool.run('work', 'urgent', { gate: 'few', priority: 9 })
  // One task at a time stands behind the gate: the urgent one is posted only because the other has made way for it.
  expect([pool.worker(0).reserved, moved.task.slot, urgent.task.place]).toEqual([moved.task, 0, 'lane'])
  pool.thread(0).end(held, 'done')
  pool.thread(0).answer()
  pool.runAll()
  await turn()
  pool.runAll()
  expect([moved.ends.length, urgent.ends]).toEqual([1, [['ok', 'urgent']]])
  expect([pool.core.ledger.unsettled, pool.core.gates.size]).toEqual([0, 0])
})
