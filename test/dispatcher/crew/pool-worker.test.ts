import { afterEach, describe, expect, test } from 'vitest'
import {
  holderOf,
  isStarted,
  livesOf,
  PoolWorker,
  postedTasks,
  restartDelayMs,
  SlotRecord,
  workerOf,
} from '../../../src/dispatcher/crew/pool-worker.js'
import { FakeCrew } from '../../support/fake-crew.js'
import { FakePool } from '../../support/fake-pool.js'
import { newTasks } from '../../support/new-task.js'

let crew: FakeCrew | undefined
afterEach(() => crew?.dispose())

describe('a worker', () => {
  test('starts out dead, empty and trusted', () => {
    expect(new PoolWorker(3)).toMatchObject({
      slot: 3,
      state: 'dead',
      isReady: false,
      held: false,
      outstanding: 0,
      started: 0,
      windowLimit: Number.POSITIVE_INFINITY,
    })
  })

  test('is ready in every state that has a lane which takes tasks', () => {
    const worker = new PoolWorker(0)
    const seen: Record<string, boolean> = {}
    for (const state of [
      'starting',
      'idle',
      'busy',
      'suspect',
      'stalled',
      'busy',
      'ejected',
      'draining',
      'dead',
    ] as const) {
      worker.state = state
      seen[state] = worker.isReady
    }
    expect(seen).toEqual({
      starting: false,
      idle: true,
      busy: true,
      suspect: true,
      stalled: true,
      ejected: true,
      draining: false,
      dead: false,
    })
  })

  test('refuses a change of state that makes no sense; the same state again is none', () => {
    const worker = new PoolWorker(0)
    worker.state = 'dead'
    expect(() => {
      worker.state = 'busy'
    }).toThrow('no transition from dead to busy')
    expect(worker.state).toBe('dead')
  })

  test('counts what its lane and its backlog hold, and what was started over all its lives', () => {
    crew = new FakeCrew(1)
    const worker = crew.worker(0)
    const tasks = newTasks(4)
    crew.post(0, ...tasks.slice(0, 3))
    worker.backlog.push(tasks[3]!)
    expect(worker.outstanding).toBe(4)
    worker.record.startedBefore = 10
    crew.thread(0).start()
    expect(worker.started).toBe(11)
    worker.lane = undefined
    expect([worker.outstanding, worker.started]).toEqual([0, 10])
  })

  test('takes from the one before it in the slot the counts, and nothing of its health', () => {
    const before = new PoolWorker(4)
    const counts = { completed: 5, failed: 1, takenBack: 2, stalls: 1 }
    Object.assign(before.record, counts)
    Object.assign(before, { penalised: true, failureShare: 0.9, lagMs: 400, heldBy: 7, windowLimit: 1 })
    const worker = new PoolWorker(4, before)
    expect(worker).toMatchObject({ record: counts, penalised: false, failureShare: 0, lagMs: 0, held: false })
    worker.record.completed++
    expect(before.record.completed).toBe(6)
  })

  test('counts as started what those that drain beside it have started', () => {
    crew = new FakeCrew(1)
    const before = crew.worker(0)
    crew.post(0, ...newTasks(2))
    crew.thread(0).start()
    const worker = new PoolWorker(0, before)
    worker.predecessors.add(before)
    worker.record.startedBefore = 3
    expect([worker.started, worker.startedInLife, before.startedInLife]).toEqual([4, 0, 1])
  })

  test('is held while it remembers by whom, also by nobody', () => {
    const worker = new PoolWorker(0)
    worker.heldBy = -1
    expect(worker.held).toBe(true)
    worker.heldBy = undefined
    expect(worker.held).toBe(false)
  })
})

describe('the record of a slot', () => {
  test('a first crash costs no wait, each further one twice the last', () => {
    const record = new SlotRecord()
    expect(Array.from({ length: 4 }, () => record.ended(true, false, 1_000))).toEqual([0, 50, 100, 200])
    expect(record).toMatchObject({ failuresToRun: 4, startAtMs: 1_200, cannotLoad: false })
  })

  test('a module that cannot be loaded waits from the first time on, and for work', () => {
    const record = new SlotRecord()
    expect([record.ended(false, true, 0), record.cannotLoad]).toEqual([50, true])
    expect(record.ended(false, true, 0)).toBe(100)
  })

  test('an end that was asked for costs nothing', () => {
    const record = new SlotRecord()
    record.ended(true, false, 0)
    record.ended(true, false, 0)
    expect(record.ended(false, false, 7)).toBe(0)
    expect(record).toMatchObject({ failuresToRun: 2, startAtMs: 7 })
  })
})

describe('the wait before a restart', () => {
  describe('restart of a thread', () => {
    test('the first is immediate, the next ones double from 50 ms up to 5 s', () => {
      const delays = [0, 1, 2, 3, 4, 8, 9, 50, 5_000].map(restartDelayMs)
      expect(delays).toEqual([0, 0, 50, 100, 200, 3_200, 5_000, 5_000, 5_000])
    })
  })
})

describe('workers and their lanes', () => {
  let pool: FakePool
  afterEach(() => pool.dispose())

  test('lanes, tasks and workers are found in their slots and beside them', () => {
    pool = FakePool.loaded({ workers: 1, window: 2, takeBack: false })
    const { workers } = pool.core.crew
    const before = pool.run('work', 'before')
    pool.deliver()
    pool.thread(0).start()
    const old = pool.worker(0)
    expect(holderOf(workers, before.task)).toBe(old)
    pool.core.crew.recycle(old)
    pool.load()
    const after = pool.run('work', 'after')
    const fresh = pool.worker(0)
    expect(fresh).not.toBe(old)
    // Both have the same key, each on a board of its own.
    expect(after.task.key).toBe(before.task.key)
    expect([holderOf(workers, before.task), holderOf(workers, after.task)]).toEqual([old, fresh])
    expect([workerOf(workers, old.lane!), workerOf(workers, fresh.lane!)]).toEqual([old, fresh])
    expect([...livesOf(workers)]).toEqual([fresh, old])
  })

  test('nobody holds a task that waits or has settled; a lane of no worker is a fault', () => {
    pool = FakePool.loaded({ workers: 1 })
    const { workers } = pool.core.crew
    const { task } = pool.run('work')
    pool.runAll()
    expect(holderOf(workers, task)).toBeUndefined()
    pool.core.router.pause()
    expect(holderOf(workers, pool.run('work').task)).toBeUndefined()
    const { lane } = pool.worker(0)
    pool.thread(0).die()
    expect(() => workerOf(workers, lane!)).toThrow('slot 0')
    pool.core.rejectAll(() => new Error('end of test'))
  })

  test('what a lane gives up is taken back, or left behind where it runs', () => {
    pool = FakePool.loaded({ workers: 1, window: 2, takeBack: false })
    const { workers } = pool.core.crew
    const posted = postedTasks(workers)
    const [running, waiting, io] = [pool.run('work', 1), pool.run('work', 2), pool.run('fetch', 3)]
    pool.deliver()
    pool.thread(0).start()
    const tasks = [running, waiting, io].map(({ task }) => task)
    expect([...posted]).toEqual(tasks)
    expect(tasks.map((task) => isStarted(workers, task))).toEqual([true, false, false])
    for (const task of tasks) posted.remove(task)
    expect([...posted]).toEqual([])
    pool.thread(0).runAll('io')
    pool.thread(0).end(pool.thread(0).running[0]!, 'late')
    pool.thread(0).answer()
    pool.deliver()
    expect([pool.core.ledger.lateAnswers, pool.worker(0).started]).toEqual([1, 1])
  })
})
