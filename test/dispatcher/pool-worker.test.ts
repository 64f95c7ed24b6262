import { afterEach, describe, expect, test } from 'vitest'
import { PoolWorker } from '../../src/dispatcher/pool-worker.js'
import { FakeCrew } from '../support/fake-crew.js'
import { newTasks } from '../support/new-task.js'

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
    worker.startedBefore = 10
    crew.thread(0).start()
    expect(worker.started).toBe(11)
    worker.lane = undefined
    expect([worker.outstanding, worker.started]).toEqual([0, 10])
  })

  test('keeps nothing of the health of a thread that is gone, and all of its counts', () => {
    const worker = new PoolWorker(0)
    const fresh = { ...worker }
    const counts = { completed: 5, failed: 1, takenBack: 2, stalls: 1, restarts: 3, failuresToRun: 2 }
    Object.assign(worker, counts, {
      penalised: true,
      creditBackMs: 9,
      failureShare: 0.9,
      failuresInRow: 4,
      lagMs: 400,
      silentMs: 420,
      stallTicks: 2,
      heldBy: 7,
      measuredLoop: { idle: 1, active: 1 },
      suspectLoop: { idle: 1, active: 1 },
    })
    worker.forgetLife()
    expect({ ...worker }).toMatchObject({ ...fresh, ...counts, backlog: expect.anything() })
  })

  test('is held while it remembers by whom, also by nobody', () => {
    const worker = new PoolWorker(0)
    worker.heldBy = -1
    expect(worker.held).toBe(true)
    worker.heldBy = undefined
    expect(worker.held).toBe(false)
  })
})
