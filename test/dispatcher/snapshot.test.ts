import { afterEach, describe, expect, test } from 'vitest'
import { snapshotOf } from '../../src/dispatcher/snapshot.js'
import { FakePool } from '../support/fake-pool.js'

let pool: FakePool
afterEach(() => pool.dispose())

function look() {
  return snapshotOf(pool.core, 'range-table', pool.clock.nowMs())
}

describe('a snapshot', () => {
  test('of a pool that boots shows threads without lanes', () => {
    pool = new FakePool({ workers: 2 })
    expect(look()).toMatchObject({
      queued: 0,
      posted: 0,
      running: 0,
      oldestQueuedMs: 0,
      completed: 0,
      waitMs: { count: 0 },
      workers: [
        { slot: 0, threadId: 1, state: 'starting', load: 0, share: 0, depth: 0, stampAgeMs: 0, oldestRunningMs: 0 },
        { slot: 1, threadId: 2, state: 'starting' },
      ],
    })
  })

  test('counts what waits, what runs, and for how long', () => {
    pool = FakePool.loaded({ workers: 1, window: 2, takeBack: false })
    for (let task = 0; task < 5; task++) pool.run('work', task)
    pool.deliver()
    pool.thread(0).start()
    pool.clock.advance(30)
    const { workers, ...all } = look()
    expect(all).toMatchObject({
      queued: 3,
      posted: 2,
      running: 1,
      oldestQueuedMs: 30,
      completed: 0,
      failed: 0,
      rejected: 0,
    })
    expect(workers[0]).toMatchObject({
      slot: 0,
      threadId: 1,
      state: 'busy',
      outstanding: 2,
      oldestRunningMs: 30,
      started: 1,
      completed: 0,
      restarts: 0,
      stalls: 0,
    })
    expect(workers[0]!.share).toBe(1)
    expect(workers[0]!.load).toBeGreaterThan(0)
  })

  test('tells the tasks that a worker has begun from those that wait at it, and from those that it has ended', () => {
    pool = FakePool.loaded({ workers: 2, window: 3, takeBack: false })
    for (let task = 0; task < 6; task++) pool.run('work', task)
    for (let task = 0; task < 4; task++) pool.run('fetch', task)
    pool.deliver()
    expect(look()).toMatchObject({ queued: 0, posted: 10, running: 0 })
    const [one, two] = [pool.thread(0), pool.thread(1)]
    const held = one.start('cpu')!
    two.start('cpu')
    one.start('io')
    expect(look()).toMatchObject({ posted: 10, running: 3 })
    one.end(held, 'done')
    // Its answer is on the way.
    expect(look()).toMatchObject({ posted: 10, running: 2 })
    one.answer()
    pool.deliver()
    expect(look()).toMatchObject({ posted: 9, running: 2, completed: 1 })
    // Beside its successor a worker that drains keeps what it has begun.
    pool.core.crew.recycle(pool.core.crew.workers[1]!)
    expect(look()).toMatchObject({ running: 2 })
    pool.load()
    expect(look().running).toBe(2)
  })

  test('tells the age of the oldest running task, CPU or I/O', () => {
    pool = FakePool.loaded({ workers: 1, takeBack: false })
    pool.run('fetch', 1)
    pool.run('work', 2)
    pool.deliver()
    pool.thread(0).start('io')
    pool.clock.advance(25)
    pool.thread(0).start('cpu')
    pool.clock.advance(10)
    expect(look().workers[0]!.oldestRunningMs).toBe(35)
  })

  test('tells waits and runs of what has ended', () => {
    pool = FakePool.loaded({ workers: 1, window: 1, takeBack: false })
    pool.run('work')
    pool.run('work')
    pool.clock.advance(10)
    const thread = pool.thread(0)
    pool.deliver()
    const held = thread.start()!
    pool.clock.advance(20)
    thread.end(held, 1, 1, 20)
    thread.answer()
    pool.deliver()
    thread.fail(thread.start()!, new Error('no'), 5)
    thread.answer()
    pool.deliver()
    const { waitMs, runMs, completed, failed, posted, running, queued, workers } = look()
    expect({ completed, failed, posted, running, queued }).toEqual({
      completed: 1,
      failed: 1,
      posted: 0,
      running: 0,
      queued: 0,
    })
    expect([waitMs.count, waitMs.max, runMs.count, runMs.max]).toEqual([2, 30, 2, 20])
    expect(workers[0]).toMatchObject({ started: 2, completed: 1, failed: 1, outstanding: 0, oldestRunningMs: 0 })
  })

  test('of a dead worker keeps its counts and has no thread', () => {
    pool = FakePool.loaded({ workers: { min: 0, max: 1 } })
    pool.run('work')
    pool.load()
    pool.runAll()
    pool.thread(0).die()
    expect(look().workers[0]).toMatchObject({
      threadId: -1,
      state: 'dead',
      started: 1,
      completed: 1,
      load: 0,
      share: 0,
    })
  })
})

describe('what waits', () => {
  test('for a worker is told by priority, apart from what waits for its time or at a gate', () => {
    pool = FakePool.loaded({ workers: 1, window: 1, takeBack: false, gates: { slow: { concurrency: 1 } } })
    for (const priority of [0, 3, 3, -2]) pool.run('work', 1, { priority })
    pool.run('fetch', 1, { priority: 3 })
    pool.run('work', 1, { delayMs: 50 })
    pool.run('work', 1, { gate: 'slow' })
    const { queued, queuedByPriority, delayed, gated, posted } = look()
    const waiting = queuedByPriority.reduce((sum, { tasks }) => sum + tasks, 0)
    expect({ delayed, gated, queued }).toEqual({ delayed: 1, gated: 1, queued: waiting + 2 })
    expect(posted + queued).toBe(7)
    const priorities = new Map(queuedByPriority.map(({ priority, tasks }) => [priority, tasks]))
    expect([priorities.get(3), priorities.get(-2), priorities.get(7)]).toEqual([2, 1, undefined])
  })

  test('in vain is counted, at the door and inside', () => {
    pool = FakePool.loaded({ workers: 1, window: 1, maxQueue: 1, takeBack: false })
    pool.run('work')
    const late = pool.run('work', 1, { queueTimeoutMs: 20 })
    for (let call = 0; call < 2; call++) expect(() => pool.run('work')).toThrow(/queue holds/)
    pool.clock.advance(30)
    expect(late.ends).toMatchObject([['failed', { code: 'EVENKEEL_QUEUE_TIMEOUT' }]])
    expect(look()).toMatchObject({ queueFull: 2, queueTimeouts: 1 })
  })
})

test('a snapshot names the strategy and the bounds, and how often threads were started', () => {
  pool = FakePool.loaded({ workers: { min: 1, max: 3 } })
  const { strategy, workersMin, workersMax, workers } = look()
  expect({ strategy, workersMin, workersMax }).toEqual({ strategy: 'range-table', workersMin: 1, workersMax: 3 })
  expect(workers.map(({ starts }) => starts)).toEqual([1, 0, 0])
})
