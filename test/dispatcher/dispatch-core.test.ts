import { afterEach, describe, expect, test } from 'vitest'
import { WIDE_STARTED, wideOf } from '../../src/board/layout.js'
import { encodeError } from '../../src/protocol/error-transfer.js'
import { FakePool } from '../support/fake-pool.js'

let pool: FakePool
afterEach(() => pool.dispose())

const microtasks = async () => {
  for (let turn = 0; turn < 5; turn++) await undefined
}

describe('before the module is loaded', () => {
  test('tasks wait, the kinds they turn out to be included', () => {
    pool = new FakePool({ workers: 1 })
    const all = [pool.run('work', 1), pool.run('fetch', 2), pool.run('other', 3)]
    expect(all.map(({ task }) => task.place)).toEqual(['queue', 'queue', 'queue'])
    pool.load()
    pool.deliver()
    expect(all.map(({ task }) => [task.place, task.countedAs])).toEqual([
      ['lane', 'cpu'],
      ['lane', 'io'],
      ['lane', 'cpu'],
    ])
    pool.runAll()
    expect(all.map(({ ends }) => ends)).toEqual([[['ok', 1]], [['ok', 2]], [['ok', 3]]])
  })

  test('a name that is not offered is refused then, the others go on', () => {
    pool = new FakePool({ workers: 1 })
    const [typo, good] = [pool.run('typo'), pool.run('work', 1)]
    pool.load()
    pool.runAll()
    expect(typo.ends).toEqual([['failed', expect.objectContaining({ code: 'EVENKEEL_UNKNOWN_TASK', task: 'typo' })]])
    expect(good.ends).toEqual([['ok', 1]])
  })

  test('ready() and what waits reject with the cause when it cannot be, and a later try heals', async () => {
    pool = new FakePool({ workers: 1 })
    const { ends } = pool.run('work')
    const ready = pool.core.ready()
    pool.thread(0).hello().loadFailed(new SyntaxError('unexpected token'))
    pool.deliver()
    await expect(ready).rejects.toMatchObject({ code: 'EVENKEEL_MODULE_LOAD', cause: { name: 'SyntaxError' } })
    expect(ends).toEqual([['failed', expect.objectContaining({ code: 'EVENKEEL_MODULE_LOAD' })]])
    await microtasks()
    const again = pool.run('work', 'healed')
    pool.clock.advance(10_000)
    pool.load()
    pool.runAll()
    expect(again.ends).toEqual([['ok', 'healed']])
  })

  test('a further worker that cannot load it is an event, nobody’s rejection', async () => {
    pool = new FakePool({ workers: 2 })
    pool.thread(0).hello().loaded(['work'], ['cpu'])
    pool.deliver()
    const { ends } = pool.run('work', 1)
    pool.thread(1).hello().loadFailed(new Error('no memory'))
    pool.deliver()
    expect(pool.heard).toContain('error')
    pool.runAll()
    expect(ends).toEqual([['ok', 1]])
  })
})

describe('the tick', () => {
  test('runs while a task is unsettled, and holds the process so long', () => {
    pool = FakePool.loaded({ workers: 1 })
    pool.clock.advance(5)
    expect(pool.clock.holding).toBe(0)
    pool.run('work')
    expect(pool.clock.holding).toBe(1)
    pool.runAll()
    pool.clock.advance(5)
    expect(pool.clock.holding).toBe(0)
  })

  test('alone moves work from a worker that does not get on to one that does', () => {
    pool = FakePool.loaded({ workers: 2, window: 4 })
    const all = Array.from({ length: 8 }, (_, index) => pool.run('work', index))
    pool.deliver()
    for (const slot of [0, 1]) pool.thread(slot).start()
    // Slot 1 blocks; slot 0 works on, and nothing else happens than time.
    for (let ms = 0; ms < 40; ms += 5) {
      const thread = pool.thread(0)
      if (thread.running[0] !== undefined) thread.end(thread.running[0], thread.running[0].payload)
      thread.runAll()
      thread.beat()
      pool.clock.advance(5)
      pool.deliver()
    }
    expect(all.filter(({ ends }) => ends.length === 1)).toHaveLength(7)
    expect(pool.worker(1)).toMatchObject({ outstanding: 1, held: true })
    expect(pool.worker(1).record.takenBack).toBeGreaterThanOrEqual(3)
  })

  test('tells of a stall with the task that runs, and of its end', () => {
    pool = FakePool.loaded({ workers: 1, stallUnknownMs: 250 })
    pool.run('other', 1)
    pool.deliver()
    pool.thread(0).wake()
    const held = pool.thread(0).start()!
    pool.clock.advance(400)
    expect(pool.events.at(-1)).toEqual(['stall', expect.objectContaining({ slot: 0, task: 'other' })])
    pool.thread(0).end(held, 1)
    pool.thread(0).answer()
    pool.deliver()
    expect(pool.heard).toEqual(['online', 'stall', 'recover'])
    expect(pool.worker(0).state).toBe('idle')
  })
})

describe('priorities', () => {
  test('an urgent task takes the place of an unstarted one', () => {
    pool = FakePool.loaded({ workers: 1, window: 2 })
    const [first, second] = [pool.run('work', 'first'), pool.run('work', 'second')]
    pool.deliver()
    const held = pool.thread(0).start()!
    const urgent = pool.run('work', 'urgent', { priority: 5 })
    expect([second.task.place, urgent.task.place]).toEqual(['queue', 'lane'])
    pool.core.router.flush()
    pool.thread(0).end(held, 'first')
    expect(pool.thread(0).start()!.payload).toBe('urgent')
    expect(first.task.place).toBe('lane')
  })
})

describe('a moved payload that waits for a worker of its own', () => {
  test('goes to another one that turns idle first', () => {
    pool = FakePool.loaded({ workers: 2, window: 1 })
    const others = [pool.run('work', 1), pool.run('work', 2)]
    pool.deliver()
    for (const slot of [0, 1]) pool.thread(slot).start()
    const buffer = new ArrayBuffer(8)
    const moved = pool.run('work', buffer, { transfer: [buffer] })
    const kept = moved.task.slot
    expect(pool.worker(kept).reserved).toBe(moved.task)
    const free = pool.thread(1 - kept)
    free.end(free.running[0]!, 'done')
    free.answer()
    pool.deliver()
    pool.clock.advance(10)
    expect(moved.task).toMatchObject({ place: 'lane', slot: 1 - kept })
    expect(pool.worker(kept).reserved).toBeUndefined()
    expect(others.filter(({ ends }) => ends.length === 1)).toHaveLength(1)
  })
})

describe('a resize', () => {
  test('to a lower minimum lets workers end that have been idle before', () => {
    pool = FakePool.loaded({ workers: 3, idleMs: 1_000 })
    pool.core.resize({ min: 1, max: 3 })
    pool.clock.advance(1_000)
    expect(pool.core.crew.workers.map(({ state }) => state)).toEqual(['idle', 'dead', 'dead'])
  })
})

describe('workers that are replaced', () => {
  test('after so many tasks, exactly, with none lost', () => {
    pool = FakePool.loaded({ workers: 1, maxTasksPerWorker: 3, window: 8 })
    const all = Array.from({ length: 7 }, (_, index) => pool.run('work', index))
    for (let life = 0; life < 3; life++) {
      pool.runAll()
      pool.finishStops()
      pool.load()
    }
    expect(all.map(({ ends }) => ends)).toEqual(all.map((_, index) => [['ok', index]]))
    expect(pool.supervisor.threads.map(({ board }) => wideOf(board.row)[WIDE_STARTED])).toEqual([3, 3, 1])
  })

  test('when their heap has grown too large', () => {
    pool = FakePool.loaded({ workers: 1, maxHeapBytes: 1024 * 1024 })
    pool.run('work')
    pool.deliver()
    pool.thread(0).row.heap(2 * 1024 * 1024, 64 * 1024 * 1024)
    pool.runAll()
    expect([pool.worker(0).state, pool.core.crew.draining.size]).toEqual(['starting', 1])
    pool.finishStops()
    expect([pool.supervisor.threads.length, pool.core.crew.draining.size]).toEqual([2, 0])
  })

  test('in plain push, what waited for their claim words is not forgotten', () => {
    pool = FakePool.loaded({ workers: 1, mode: 'push' })
    const all = Array.from({ length: 600 }, (_, index) => pool.run('work', index))
    pool.core.crew.recycle(pool.worker(0))
    for (let life = 0; life < 3; life++) {
      pool.runAll()
      pool.finishStops()
      pool.load()
    }
    expect(all.filter(({ ends }) => ends.length !== 1)).toEqual([])
  })

  test('once a teardown has thrown, its error is told', () => {
    pool = FakePool.loaded({ workers: 1 })
    const thread = pool.thread(0)
    pool.core.crew.recycle(pool.worker(0))
    thread.say({ type: 'stopped', error: encodeError('teardown failed', () => true) })
    pool.deliver()
    expect(pool.events).toContainEqual(['error', 'teardown failed'])
    expect(pool.supervisor.threads).toHaveLength(2)
  })
})

describe('messages beside answers', () => {
  test('progress reaches the task it belongs to, as long as it is unsettled', async () => {
    pool = FakePool.loaded({ workers: 1 })
    const seen: unknown[] = []
    pool.run('work', 1, { onProgress: (value) => seen.push(value) })
    pool.deliver()
    const held = pool.thread(0).start()!
    pool.thread(0).say({ type: 'progress', key: held.key, position: 0, value: 50 })
    pool.thread(0).end(held, 1)
    pool.thread(0).answer()
    pool.thread(0).say({ type: 'progress', key: held.key, position: 0, value: 'too late' })
    pool.deliver()
    await Promise.resolve()
    expect(seen).toEqual([50])
  })

  test('what a dying thread says is the cause that its task rejects with', () => {
    pool = FakePool.loaded({ workers: 1 })
    const { ends } = pool.run('work')
    pool.deliver()
    const held = pool.thread(0).start()!
    pool.thread(0).row.culprit(held.key + 1)
    const error = encodeError(new RangeError('late-boom'), () => true)
    pool.thread(0).say({ type: 'uncaught', key: held.key, error })
    pool.thread(0).die({ exitCode: 1 })
    expect(ends).toEqual([
      [
        'failed',
        expect.objectContaining({
          code: 'EVENKEEL_WORKER_EXIT',
          cause: expect.objectContaining({ name: 'RangeError', message: 'late-boom' }),
        }),
      ],
    ])
    expect(pool.heard).toEqual(['online', 'exit', 'restart'])
  })

  test('a payload that cannot be cloned rejects its own task only, with the place', () => {
    pool = FakePool.loaded({ workers: 1, window: 4 })
    const all = [pool.run('work', 0), pool.run('work', { callback: () => 1 }), pool.run('work', 2)]
    pool.runAll()
    expect(all.map(({ ends }) => ends)).toEqual([
      [['ok', 0]],
      [['failed', expect.objectContaining({ code: 'EVENKEEL_CLONE', path: 'payload.callback', task: 'work' })]],
      [['ok', 2]],
    ])
  })
})

describe('the number of workers', () => {
  test('grows with waiting work up to the maximum, and shrinks again to the minimum', () => {
    pool = new FakePool({ workers: { min: 0, max: 3 }, idleMs: 1_000 })
    expect(pool.supervisor.threads).toHaveLength(0)
    const all = Array.from({ length: 20 }, (_, index) => pool.run('work', index))
    expect(pool.core.crew.alive).toBe(3)
    pool.load()
    pool.runAll()
    expect(all.every(({ ends }) => ends.length === 1)).toBe(true)
    pool.clock.advance(1_000)
    pool.finishStops()
    expect(pool.core.crew.alive).toBe(0)
    expect(pool.supervisor.threads.every(({ dead }) => dead)).toBe(true)
  })

  test('can be changed while work waits: nothing is lost, maxQueue follows', () => {
    pool = FakePool.loaded({ workers: 3, window: 1, maxQueue: 2 })
    const all = Array.from({ length: 5 }, (_, index) => pool.run('work', index))
    expect(() => pool.run('work')).toThrow(expect.objectContaining({ code: 'EVENKEEL_QUEUE_FULL' }))
    pool.core.resize({ min: 1, max: 1 })
    expect(pool.core.crew.alive).toBe(1)
    pool.runAll()
    pool.finishStops()
    expect(all.map(({ ends }) => ends)).toEqual(all.map((_, index) => [['ok', index]]))
    expect(pool.core.crew.workers.map(({ state }) => state)).toEqual(['idle', 'dead', 'dead'])
    pool.core.resize({ min: 4, max: 4 })
    pool.load()
    expect(pool.core.crew.ready).toBe(4)
  })
})
