import { afterEach, describe, expect, test } from 'vitest'
import { Draining } from '../../../src/dispatcher/crew/draining.js'
import type { PoolWorker } from '../../../src/dispatcher/crew/pool-worker.js'
import { FakeCrew } from '../../support/fake-crew.js'
import type { FakeThread } from '../../support/fake-thread.js'
import { newTasks } from '../../support/new-task.js'

let crew: FakeCrew
afterEach(() => crew.dispose())

function sceneOf(limitMs = 1_000) {
  crew = new FakeCrew(2)
  return new Draining(crew.clock, limitMs)
}

function told(worker: PoolWorker): string[] {
  const thread = worker.thread as FakeThread
  thread.receive()
  return thread.told.map(({ type }) => type)
}

/** As the crew does when the thread has ended. */
function end(draining: Draining, worker: PoolWorker): void {
  worker.state = 'dead'
  draining.ended(worker)
}

describe('a worker that drains', () => {
  test('is counted, and known to its slot, until its thread has ended', () => {
    const draining = sceneOf()
    for (const worker of crew.workers) draining.add(worker)
    expect([draining.size, [...crew.worker(1).predecessors]]).toEqual([2, [crew.worker(1)]])
    for (const worker of crew.workers) end(draining, worker)
    expect([draining.size, crew.worker(1).predecessors.size, crew.clock.timers]).toEqual([0, 0, 0])
    // The end of one that never drained counts for nothing.
    draining.ended(crew.worker(0))
    expect(draining.size).toBe(0)
  })

  test('is told to tear down once, when it holds nothing more', () => {
    const draining = sceneOf()
    crew.post(0, ...newTasks(1))
    draining.add(crew.worker(0))
    draining.settle(crew.worker(0))
    expect(told(crew.worker(0))).toEqual([])
    crew.thread(0).runAll()
    crew.lane(0).readPort()
    draining.settle(crew.worker(0))
    draining.settle(crew.worker(0))
    expect(told(crew.worker(0))).toEqual(['stop'])
  })

  test('is ended when its tasks, or its teardown, take too long; neither timer holds the process', () => {
    const draining = sceneOf(1_000)
    crew.post(0, ...newTasks(1))
    crew.thread(0).start()
    for (const worker of crew.workers) draining.add(worker)
    draining.settle(crew.worker(1))
    expect(crew.clock.holding).toBe(0)
    crew.clock.advance(1_000)
    expect(crew.workers.map(({ endExpected }) => endExpected)).toEqual([true, false])
    crew.clock.advance(4_000)
    expect(crew.workers.map(({ endExpected }) => endExpected)).toEqual([true, true])
  })

  test('that is in its slot is not asked to end', () => {
    const draining = sceneOf()
    draining.settle(crew.worker(0))
    expect(told(crew.worker(0))).toEqual([])
  })
})
