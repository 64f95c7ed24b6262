import { afterEach, describe, expect, test } from 'vitest'
import { MAX_WINDOW } from '../../../src/board/layout.js'
import type { DispatcherOptions } from '../../../src/dispatcher/options/options.js'
import { hasRoom, type WindowOptions, windowTasks } from '../../../src/dispatcher/routing/window.js'
import { FakeCrew } from '../../support/fake-crew.js'
import { newTask, newTasks, statsOf } from '../../support/new-task.js'

const byTime: WindowOptions = { window: undefined, ioWindow: 3, maxTasksPerWorker: Number.POSITIVE_INFINITY }
const KIB = 1024

let crew: FakeCrew
afterEach(() => crew.dispose())

function crewOf(options: Partial<DispatcherOptions> = {}): FakeCrew {
  crew = new FakeCrew(1, options)
  return crew
}

/** How many such tasks fit into an empty worker. */
function capacity(options: WindowOptions, runMs: number | undefined, kind: 'cpu' | 'io' = 'cpu'): number {
  const worker = crewOf().worker(0)
  const stats = statsOf(kind === 'io' ? 'fetch' : 'work', kind, runMs ?? 1, runMs === undefined ? 0 : 50)
  for (let count = 0; ; count++) {
    const task = newTask({ stats, sequence: count })
    if (!hasRoom(options, worker, task)) return count
    crew.post(0, task)
  }
}

describe('the window', () => {
  test.each([
    [undefined, 2],
    [100, 2],
    [1, 2],
    [0.25, 4],
    [0.01, 100],
    [0.001, MAX_WINDOW],
  ])('of tasks that take %s ms holds %i', (runMs, count) => {
    expect(Math.abs(capacity(byTime, runMs) - count)).toBeLessThanOrEqual(count > 10 && count < MAX_WINDOW ? 1 : 0)
    crew.dispose()
    expect(windowTasks(byTime, runMs ?? 1)).toBe(count)
  })

  test('counts what reading is expected to take, and sends what was costly in vain only to a worker that computes nothing', () => {
    crewOf()
    const short = statsOf('work', 'cpu', 0.01, 50)
    crew.post(0, ...newTasks(2, { stats: short }))
    expect(hasRoom(byTime, crew.worker(0), newTask({ stats: short }))).toBe(true)
    crew.lane(0).postingUs = 1_000
    expect(hasRoom(byTime, crew.worker(0), newTask({ stats: short }))).toBe(false)
    crew.lane(0).postingUs = 0
    const costly = newTask({ stats: short })
    costly.repostUs = 1_000
    expect(hasRoom(byTime, crew.worker(0), costly)).toBe(true)
    costly.takenBack = 1
    expect(hasRoom(byTime, crew.worker(0), costly)).toBe(false)
    crew.thread(0).runAll()
    crew.lane(0).readAnswers()
    expect(hasRoom(byTime, crew.worker(0), costly)).toBe(true)
  })

  test('sums what the names it holds are expected to take', () => {
    crewOf()
    const long = statsOf('other', 'cpu', 0.9, 50)
    const short = statsOf('work', 'cpu', 0.05, 50)
    crew.post(0, newTask({ stats: long }), newTask({ stats: short }))
    const worker = crew.worker(0)
    expect(hasRoom(byTime, worker, newTask({ stats: long }))).toBe(false)
    expect(hasRoom(byTime, worker, newTask({ stats: short }))).toBe(true)
    crew.post(0, newTask({ stats: short }))
    expect(hasRoom(byTime, worker, newTask({ stats: short }))).toBe(false)
  })

  test('can be a fixed number', () => {
    expect(capacity({ ...byTime, window: 1 }, 0.001)).toBe(1)
    crew.dispose()
    expect(capacity({ ...byTime, window: 7 }, 100)).toBe(7)
    expect(windowTasks({ ...byTime, window: 7 }, 100)).toBe(7)
  })

  test('of I/O tasks is a number of its own, whatever CPU tasks there are', () => {
    expect(capacity(byTime, 5_000, 'io')).toBe(3)
    expect(hasRoom(byTime, crew.worker(0), newTask())).toBe(true)
  })

  test('of a worker on probation is what its limit says', () => {
    const worker = crewOf().worker(0)
    worker.windowLimit = 1
    const stats = statsOf('work', 'cpu', 0.01, 50)
    expect(hasRoom(byTime, worker, newTask({ stats }))).toBe(true)
    crew.post(0, newTask({ stats }))
    expect(hasRoom(byTime, worker, newTask({ stats }))).toBe(false)
  })

  test('of a worker near its end is what it may still finish', () => {
    const worker = crewOf().worker(0)
    const options = { ...byTime, maxTasksPerWorker: 10 }
    const stats = statsOf('work', 'cpu', 0.01, 50)
    worker.finishedInLife = 8
    crew.post(0, newTask({ stats }))
    expect(hasRoom(options, worker, newTask({ stats }))).toBe(true)
    crew.post(0, newTask({ stats }))
    expect(hasRoom(options, worker, newTask({ stats }))).toBe(false)
  })
})

describe('binary payload', () => {
  const heavy = (kib: number) => newTask({ payloadBytes: kib * KIB, stats: statsOf('work', 'cpu', 0.01, 50) })

  test('of one lane is at most 1 MiB', () => {
    const worker = crewOf().worker(0)
    crew.post(0, heavy(600))
    expect(hasRoom(byTime, worker, heavy(424))).toBe(true)
    expect(hasRoom(byTime, worker, heavy(425))).toBe(false)
    expect(hasRoom(byTime, worker, heavy(0))).toBe(true)
  })

  test('larger than that goes alone', () => {
    const worker = crewOf().worker(0)
    expect(hasRoom(byTime, worker, heavy(5_000))).toBe(true)
    crew.post(0, heavy(5_000))
    expect(hasRoom(byTime, worker, heavy(1))).toBe(false)
  })
})

test('without a free claim word there is no room', () => {
  const worker = crewOf().worker(0)
  const stats = statsOf('work', 'cpu', 0.001, 50)
  // Words of messages that were taken back stay in use until the worker has skipped them.
  for (let round = 0; round < 2; round++) {
    crew.post(0, ...newTasks(256, { stats }))
    crew.lane(0).takeBack(crew.lane(0).cpu)
  }
  expect(crew.lane(0).outstanding).toBe(0)
  expect(hasRoom(byTime, worker, newTask({ stats }))).toBe(false)
  crew.thread(0).runAll()
  crew.lane(0).readAnswers()
  expect(hasRoom(byTime, worker, newTask({ stats }))).toBe(true)
})

describe('an exclusive task', () => {
  const exclusive = () => newTask({ options: { exclusive: true } })

  test('has no room beside any other, and none has room beside it', () => {
    const worker = crewOf().worker(0)
    expect(hasRoom(byTime, worker, exclusive())).toBe(true)
    crew.post(0, newTask())
    expect([hasRoom(byTime, worker, newTask()), hasRoom(byTime, worker, exclusive())]).toEqual([true, false])
  })

  test.each(['cpu', 'io'] as const)('of the kind %s keeps all others away', (kind) => {
    const worker = crewOf().worker(0)
    const stats = statsOf(kind === 'io' ? 'fetch' : 'work', kind)
    crew.post(0, newTask({ stats, options: { exclusive: true } }))
    const others = [newTask(), newTask({ stats: statsOf('fetch', 'io') }), exclusive()]
    expect(others.map((task) => hasRoom(byTime, worker, task))).toEqual([false, false, false])
  })
})
