import { afterEach, describe, expect, test } from 'vitest'
import { PoolWorker } from '../../../src/dispatcher/crew/pool-worker.js'
import { FakeCrew } from '../../support/fake-crew.js'
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
    Object.assign(before, counts, { penalised: true, failureShare: 0.9, lagMs: 400, heldBy: 7, windowLimit: 1 })
    const worker = new PoolWorker(4, before)
    expect(worker).toMatchObject({ ...counts, penalised: false, failureShare: 0, lagMs: 0, held: false })
    worker.completed++
    expect(before.completed).toBe(6)
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
