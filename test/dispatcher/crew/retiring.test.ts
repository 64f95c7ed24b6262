import { afterEach, describe, expect, test } from 'vitest'
import { PoolWorker } from '../../../src/dispatcher/crew/pool-worker.js'
import { Draining, isSpent, Recycling, Shrinking, type ShrinkingCrew } from '../../../src/dispatcher/crew/retiring.js'
import { FakeCrew } from '../../support/fake-crew.js'
import type { FakeThread } from '../../support/fake-thread.js'
import { newTasks } from '../../support/new-task.js'

function readyWorker(slot: number): PoolWorker {
  const worker = new PoolWorker(slot)
  worker.state = 'starting'
  worker.state = 'idle'
  return worker
}

function scene(count: number) {
  const begun: number[] = []
  const workers = Array.from({ length: count }, (_, slot) => readyWorker(slot))
  const pool = { places: Number.POSITIVE_INFINITY, max: count }
  const recycling = new Recycling({
    isWanted: (slot) => slot < pool.max,
    hasPlace: () => pool.places > 0,
    replace: (worker) => {
      worker.state = 'draining'
      pool.places--
      begun.push(worker.slot)
    },
  })
  const succeed = (slot: number) => {
    workers[slot] = readyWorker(slot)
    recycling.ready(workers[slot]!)
  }
  return { begun, workers, recycling, pool, succeed }
}

test('one worker at a time, each when the successor of the last one takes tasks', () => {
  const { begun, workers, recycling, succeed } = scene(3)
  for (const worker of workers) recycling.request(worker)
  expect(begun).toEqual([0])
  succeed(0)
  expect(begun).toEqual([0, 1])
  succeed(1)
  succeed(2)
  expect(begun).toEqual([0, 1, 2])
})

test('a worker is in the queue once, and only if it is ready', () => {
  const { begun, workers, recycling, succeed } = scene(2)
  const [first, second] = workers
  recycling.request(first!)
  recycling.request(second!)
  recycling.request(second!)
  recycling.request(first!)
  succeed(0)
  succeed(1)
  expect(begun).toEqual([0, 1])
})

test('one that ends by itself while it waits is passed over', () => {
  const { begun, workers, recycling, succeed } = scene(3)
  for (const worker of workers) recycling.request(worker)
  workers[1]!.state = 'dead'
  succeed(0)
  expect(begun).toEqual([0, 2])
})

test('those that must not go on wait for no turn, only for a place', () => {
  const { begun, workers, recycling, pool } = scene(3)
  pool.places = 2
  for (const worker of workers) recycling.requestNow(worker)
  expect(begun).toEqual([0, 1])
  pool.places = 1
  recycling.goOn()
  expect(begun).toEqual([0, 1, 2])
})

test('a successor that is wanted no more is not waited for', () => {
  const { begun, workers, recycling, pool } = scene(2)
  recycling.request(workers[1]!)
  recycling.request(workers[0]!)
  expect(begun).toEqual([1])
  pool.max = 1
  recycling.goOn()
  expect(begun).toEqual([1, 0])
})

describe('draining', () => {
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
      crew.lane(0).readAnswers()
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
})

describe('a spent worker', () => {
  const NEVER = Number.POSITIVE_INFINITY

  let crew: FakeCrew
  afterEach(() => crew.dispose())

  test('a worker is spent once it has begun its last task, although that has not ended', () => {
    crew = new FakeCrew(1)
    const limit = { maxTasksPerWorker: 2, maxHeapBytes: NEVER }
    crew.post(0, ...newTasks(2))
    const first = crew.thread(0).start()!
    crew.thread(0).end(first, 1)
    expect(isSpent(limit, crew.worker(0))).toBe(false)
    crew.thread(0).start()
    expect(isSpent(limit, crew.worker(0))).toBe(true)
  })

  test('or when its heap is above the limit, by as little as it can tell', () => {
    crew = new FakeCrew(1)
    const limit = { maxTasksPerWorker: NEVER, maxHeapBytes: 1024 * 1024 }
    crew.thread(0).row.heap(1024 * 1024, 2 ** 30)
    expect(isSpent(limit, crew.worker(0))).toBe(false)
    crew.thread(0).row.heap(1025 * 1024, 2 ** 30)
    expect(isSpent(limit, crew.worker(0))).toBe(true)
  })

  test('one that takes no tasks is none', () => {
    crew = new FakeCrew(1)
    crew.worker(0).state = 'draining'
    expect(isSpent({ maxTasksPerWorker: 0, maxHeapBytes: 0 }, crew.worker(0))).toBe(false)
  })
})

describe('shrinking', () => {
  /** What `Shrinking` sees of a crew, with workers that end as soon as they retire. */
  class Scene {
    readonly crew: FakeCrew
    readonly retired: number[] = []
    readonly shrinking: Shrinking
    closing = false

    constructor(size: number, min: number, idleMs: number) {
      this.crew = new FakeCrew(size)
      const { workers } = this.crew
      const scene = this
      const crew: ShrinkingCrew = {
        get alive() {
          return workers.filter(({ state }) => state !== 'dead').length
        },
        get closing() {
          return scene.closing
        },
        range: { min, max: size },
        workers,
        retire(worker: PoolWorker) {
          scene.retired.push(worker.slot)
          worker.state = 'dead'
        },
      }
      this.shrinking = new Shrinking(crew, this.crew.clock, idleMs)
    }
  }

  let scene: Scene
  afterEach(() => scene.crew.dispose())

  function sceneOf(size: number, min: number, idleMs: number): Scene {
    scene = new Scene(size, min, idleMs)
    return scene
  }

  describe('idle workers', () => {
    test('end after idleMs, the last slots first, down to the minimum', () => {
      const { shrinking, retired, crew } = sceneOf(4, 2, 1_000)
      shrinking.watch()
      crew.clock.advance(999)
      expect(retired).toEqual([])
      crew.clock.advance(1)
      expect(retired).toEqual([3, 2])
      crew.clock.advance(10_000)
      expect(retired).toEqual([3, 2])
      expect(crew.clock.timers).toBe(0)
    })

    test('that worked meanwhile stay for another while', () => {
      const { shrinking, retired, crew } = sceneOf(3, 0, 1_000)
      shrinking.watch()
      crew.clock.advance(500)
      crew.worker(2).idleSinceMs = crew.clock.nowMs()
      crew.clock.advance(500)
      expect(retired).toEqual([1, 0])
      crew.clock.advance(1_000)
      expect(retired).toEqual([1, 0, 2])
    })

    test('busy ones stay', () => {
      const { shrinking, retired, crew } = sceneOf(2, 0, 1_000)
      crew.worker(1).state = 'busy'
      shrinking.watch()
      crew.clock.advance(1_000)
      expect(retired).toEqual([0])
    })

    test('are watched by one timer that does not hold the process', () => {
      const { shrinking, crew } = sceneOf(3, 0, 1_000)
      for (let time = 0; time < 5; time++) shrinking.watch()
      expect([crew.clock.timers, crew.clock.holding]).toEqual([1, 0])
    })

    test('are not watched without a surplus, without a limit, or while the pool closes', () => {
      sceneOf(2, 2, 1_000).shrinking.watch()
      expect(scene.crew.clock.timers).toBe(0)
      scene.crew.dispose()
      sceneOf(2, 0, Number.POSITIVE_INFINITY).shrinking.watch()
      expect(scene.crew.clock.timers).toBe(0)
      scene.crew.dispose()
      sceneOf(2, 0, 1_000).closing = true
      scene.shrinking.watch()
      expect(scene.crew.clock.timers).toBe(0)
    })

    test('an idle time of nothing does not spin', () => {
      const { shrinking, crew } = sceneOf(2, 1, 0)
      crew.worker(0).state = 'busy'
      crew.worker(1).state = 'busy'
      shrinking.watch()
      let looks = 0
      for (let ms = 0; ms < 100; ms++) {
        const before = crew.clock.timers
        crew.clock.advance(1)
        looks += before === crew.clock.timers ? 0 : 1
      }
      expect(looks).toBeLessThanOrEqual(10)
    })
  })
})
