import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ProcessFigures } from '../../../src/dispatcher/watch/overload.js'
import { FakePool } from '../../support/fake-pool.js'

const figures = { cpuShare: 0, memoryShare: 0 }

let pool: FakePool
beforeEach(() => {
  Object.assign(figures, { cpuShare: 0, memoryShare: 0 })
  vi.spyOn(ProcessFigures.prototype, 'read').mockReturnValue(figures)
})
afterEach(() => {
  pool.dispose()
  vi.restoreAllMocks()
})

/** Every ready worker holds as much as it may, and beats. */
function passLoaded(ms: number): void {
  for (let at = 0; at < ms; at += 20) {
    for (const { lane, slot } of pool.core.crew.workers) {
      if (lane === undefined) continue
      const thread = pool.thread(slot)
      thread.receive()
      thread.beat()
    }
    pool.clock.advance(20)
  }
}

function started(): number {
  return pool.supervisor.threads.length
}

describe('overload', () => {
  test('of all workers for a while is told, and starts one more if there may be more', () => {
    pool = new FakePool({ workers: { min: 1, max: 3 }, window: 2, takeBack: false })
    pool.load()
    for (let task = 0; task < 2; task++) pool.run('work', task)
    pool.deliver()
    pool.thread(0).wake()
    pool.thread(0).start()
    expect(started()).toBe(1)
    passLoaded(900)
    expect(pool.heard).not.toContain('overload')
    passLoaded(400)
    expect(pool.events.find(([name]) => name === 'overload')).toEqual(['overload', { workers: 1, queued: 0 }])
    expect(started()).toBe(2)
    passLoaded(10_000)
    expect(pool.heard.filter((name) => name === 'overload')).toHaveLength(1)
  })

  test('by memory is told, and starts none', () => {
    figures.memoryShare = 0.95
    pool = new FakePool({ workers: { min: 1, max: 3 }, takeBack: false })
    pool.load()
    pool.run('work')
    pool.deliver()
    pool.thread(0).wake()
    pool.thread(0).start()
    passLoaded(1_500)
    expect(pool.heard).toContain('overload')
    expect(started()).toBe(1)
  })
})

describe('underload', () => {
  test('is told once, and ends nobody: how long a worker may be idle is for idleMs to say', () => {
    pool = new FakePool({ workers: { min: 0, max: 2 }, idleMs: 1e6, load: { holdMs: 200 }, takeBack: false })
    // A task that waits for its retry keeps the tick alive while all workers are idle.
    const retried = pool.run('work', 0, { retries: { times: 1, on: 'any', backoffMs: 1e7 } })
    pool.core.crew.ensure(2)
    pool.load()
    pool.deliver()
    const slot = retried.task.slot
    pool.thread(slot).fail(pool.thread(slot).start()!, new Error('again'))
    pool.thread(slot).answer()
    pool.deliver()
    pool.clock.advance(10_000)
    expect(pool.heard.filter((name) => name === 'underload')).toHaveLength(1)
    expect(pool.core.crew.workers.map(({ state }) => state)).toEqual(['idle', 'idle'])
    pool.core.rejectAll(() => new Error('end of test'))
  })

  test('under a light load is told once in 40 s, and all workers that may stay idle stay', () => {
    pool = new FakePool({ workers: { min: 1, max: 4 }, idleMs: Number.POSITIVE_INFINITY, takeBack: false })
    void pool.core.ready(4)
    pool.load()
    for (let call = 0; call < 400; call++) {
      const { task, ends } = pool.run('work', call)
      pool.deliver()
      const thread = pool.thread(task.slot)
      thread.wake()
      const held = thread.start()!
      pool.clock.advance(6)
      thread.end(held, call)
      thread.answer()
      pool.deliver()
      expect(ends).toHaveLength(1)
      pool.clock.advance(94)
    }
    expect(pool.heard.filter((name) => name === 'underload')).toHaveLength(1)
    expect(pool.core.crew.workers.map(({ state }) => state)).toEqual(['idle', 'idle', 'idle', 'idle'])
  })

  test('is none while the CPUs are busy', () => {
    figures.cpuShare = 0.95
    pool = new FakePool({ workers: { min: 0, max: 1 }, idleMs: 1e6, load: { holdMs: 200 } })
    pool.run('work', 0, { retries: { times: 1, on: 'any', backoffMs: 1e7 } })
    pool.load()
    pool.deliver()
    pool.thread(0).fail(pool.thread(0).start()!, new Error('again'))
    pool.thread(0).answer()
    pool.deliver()
    pool.clock.advance(2_000)
    expect(pool.heard).not.toContain('underload')
    pool.core.rejectAll(() => new Error('end of test'))
  })
})
