import { afterEach, describe, expect, test } from 'vitest'
import type { DispatcherOptions } from '../../../src/dispatcher/options/options.js'
import { WorkerView } from '../../../src/dispatcher/routing/worker-view.js'
import { FakeCrew } from '../../support/fake-crew.js'
import { newTasks, statsOf } from '../../support/new-task.js'

let crew: FakeCrew
afterEach(() => crew.dispose())

function viewOf(size: number, options: Partial<DispatcherOptions> = {}): WorkerView {
  crew = new FakeCrew(size, options)
  return new WorkerView(crew.workers, crew.options, crew.clock)
}

describe('load', () => {
  test('grows with what the lane holds, against what its window allows', () => {
    const view = viewOf(2)
    expect(view.load(0)).toBe(0)
    crew.post(0, ...newTasks(2))
    expect(view.load(0)).toBeCloseTo(100 * (2 / 3), 6)
    expect(view.outstanding(0)).toBe(2)
    crew.post(1, ...newTasks(2, { stats: statsOf('work', 'cpu', 0.1, 50) }))
    expect(view.load(1)).toBeLessThan(25)
  })

  test('of I/O counts against the I/O window', () => {
    const view = viewOf(1, { ioWindow: 9 })
    crew.post(0, ...newTasks(5, { kind: 'io', name: 'fetch' }))
    expect(view.load(0)).toBe(50)
  })

  test('of a silent worker rises although nothing is reported', () => {
    const view = viewOf(1)
    crew.post(0, ...newTasks(1))
    const loads = [0, 50, 100, 300].map((silentMs) => {
      crew.worker(0).silentMs = silentMs
      return Math.round(view.load(0))
    })
    expect(loads).toEqual([33, 33, 80, 100])
  })

  test('counts reported lag only while the worker holds something', () => {
    const view = viewOf(1)
    crew.thread(0).beat(90)
    expect(view.load(0)).toBe(0)
    crew.post(0, ...newTasks(1))
    crew.thread(0).beat(90)
    expect(view.load(0)).toBe(90)
  })

  test('of a worker without a thread is 0, and no report is asked of it', () => {
    const view = viewOf(1)
    crew.worker(0).lane = undefined
    expect([view.load(0), view.reportedLoad(0), view.reportedDepth(0), view.reportAgeMs(0)]).toEqual([0, 0, 0, 0])
  })
})

describe('what was reported', () => {
  test('is what the worker wrote, however long ago', () => {
    const view = viewOf(1)
    crew.post(0, ...newTasks(2))
    crew.thread(0).row.report(crew.clock.nowMs(), 0, 5, 1)
    crew.clock.advance(70)
    expect(view.reportedDepth(0)).toBe(6)
    expect(view.reportAgeMs(0)).toBe(70)
    expect(view.reportedLoad(0)).toBe(100)
    crew.thread(0).row.report(crew.clock.nowMs(), 0, 0, 0)
    expect(view.reportedLoad(0)).toBe(0)
  })

  test('moves only beyond the change threshold', () => {
    const view = viewOf(1, { load: { changeThreshold: 20 } })
    crew.post(0, ...newTasks(1))
    const loads = [0, 10, 30, 40, 55].map((lagMs) => {
      crew.thread(0).row.report(crew.clock.nowMs(), lagMs, 0, 0)
      return Math.round(view.reportedLoad(0))
    })
    expect(loads).toEqual([0, 0, 30, 30, 55])
  })
})

describe('further factors', () => {
  test('are measured only when coefficients ask for them', () => {
    const view = viewOf(1)
    let asked = 0
    const thread = crew.thread(0)
    crew.worker(0).thread = {
      ...thread,
      threadId: 1,
      terminate() {},
      loopTime() {
        asked++
        return { idle: 0, active: 0 }
      },
    }
    view.measure(crew.clock.nowMs() + 1_000)
    expect(asked).toBe(0)
    view.setCoefficients({ cpu: 1 })
    for (const ms of [1_000, 1_005, 1_100, 1_199, 1_200]) view.measure(crew.clock.nowMs() + ms)
    expect(asked).toBe(2)
  })

  test('utilisation is the share between two readings', () => {
    const view = viewOf(1, { load: { coefficients: { cpu: 1 } } })
    const thread = crew.thread(0)
    crew.post(0, ...newTasks(1))
    thread.loop = { idle: 1_000, active: 0 }
    view.measure(crew.clock.nowMs())
    expect(crew.worker(0).utilisation).toBe(0)
    thread.loop = { idle: 1_100, active: 300 }
    crew.clock.advance(200)
    view.measure(crew.clock.nowMs())
    expect(crew.worker(0).utilisation).toBeCloseTo(0.75, 9)
    expect(view.load(0)).toBeCloseTo(75, 6)
  })

  test('response times are smoothed from the first one on', () => {
    const view = viewOf(1)
    view.answeredAfter(crew.worker(0), 100)
    expect(crew.worker(0).responseMs).toBe(100)
    view.answeredAfter(crew.worker(0), 260)
    expect(crew.worker(0).responseMs).toBe(110)
  })

  test('coefficients that do not sum to 1 are refused and change nothing', () => {
    const view = viewOf(1)
    const { version } = view
    expect(() => view.setCoefficients({ cpu: 0.5 })).toThrow(RangeError)
    expect(view).toMatchObject({ weighted: false, version })
    view.setCoefficients({ cpu: 1 })
    view.setCoefficients(undefined)
    expect(view.weighted).toBe(false)
    expect(view.version).toBeGreaterThan(version)
  })
})

describe('the table', () => {
  test('shares go by the square of what is free, to ready workers only', () => {
    const view = viewOf(3)
    expect(view.shares().map((share) => share.toFixed(3))).toEqual(['0.333', '0.333', '0.333'])
    crew.post(0, ...newTasks(2))
    crew.worker(2).state = 'draining'
    const [busy, idle, draining] = view.shares()
    expect(draining).toBe(0)
    expect(busy! + idle!).toBeCloseTo(1, 9)
    expect(idle! / busy!).toBeCloseTo((101 / (101 - 200 / 3)) ** 2, 6)
  })

  test('without any ready worker all shares are 0', () => {
    const view = viewOf(1)
    crew.worker(0).state = 'draining'
    expect(view.shares()).toEqual([0])
  })

  test('a slot that was filled anew is a new version', () => {
    const view = viewOf(1)
    const { version } = view
    view.replaced(0)
    expect(view.version).toBeGreaterThan(version)
    expect(view.size).toBe(1)
    expect(view.isCandidate(0)).toBe(false)
    view.candidate[0] = 1
    expect(view.isCandidate(0)).toBe(true)
  })
})
