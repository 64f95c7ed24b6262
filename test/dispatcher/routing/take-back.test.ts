import { afterEach, describe, expect, test } from 'vitest'
import type { DispatcherOptions } from '../../../src/dispatcher/options/options.js'
import { type Giver, TakeBack } from '../../../src/dispatcher/routing/take-back.js'
import type { Task } from '../../../src/dispatcher/tasks/task.js'
import { FakeCrew } from '../../support/fake-crew.js'
import { newTask, newTasks, statsOf } from '../../support/new-task.js'

class Scene {
  readonly crew: FakeCrew
  readonly back: Task[] = []
  readonly takeBack: TakeBack

  constructor(size: number, options: Partial<DispatcherOptions> = {}) {
    this.crew = new FakeCrew(size, options)
    const router: Giver = {
      putBack: (task) => void this.back.push(task),
      release: () => {},
    }
    this.takeBack = new TakeBack(this.crew.workers, router, this.crew.options, this.crew.clock)
  }

  rescueAfter(ms: number): number[] {
    this.crew.clock.advance(ms)
    this.takeBack.rescue(this.crew.clock.nowMs())
    return this.back.map(({ payload }) => payload as number)
  }
}

let scene: Scene
afterEach(() => scene.crew.dispose())

function sceneOf(size: number, options?: Partial<DispatcherOptions>): Scene {
  scene = new Scene(size, options)
  return scene
}

describe('a lane whose head makes no progress', () => {
  test('gives back all that is not started, in the order of submission, and is held', () => {
    const { crew } = sceneOf(2)
    const tasks = newTasks(4)
    crew.post(0, ...tasks)
    crew.thread(0).start()
    expect(scene.rescueAfter(4)).toEqual([])
    expect(scene.rescueAfter(0.2)).toEqual([1, 2, 3])
    expect(crew.worker(0)).toMatchObject({ heldBy: tasks[0]!.key, record: { takenBack: 3 } })
    expect(crew.lane(0).outstanding).toBe(1)
    // Each starts at most once: the worker skips what was taken back.
    expect(crew.thread(0).start()).toBeUndefined()
  })

  test('of a name that takes longer gets four times that', () => {
    const { crew } = sceneOf(1)
    const stats = statsOf('other', 'cpu', 3, 50)
    crew.post(0, ...newTasks(2, { stats }))
    crew.thread(0).start()
    expect(scene.rescueAfter(11)).toEqual([])
    expect(scene.rescueAfter(2)).toEqual([1])
  })

  test('of a name that takes no time gets a millisecond', () => {
    const { crew } = sceneOf(1)
    crew.post(0, ...newTasks(5, { stats: statsOf('work', 'cpu', 0.01, 50) }))
    crew.thread(0).start()
    expect(scene.rescueAfter(0.9)).toEqual([])
    expect(scene.rescueAfter(0.3)).toEqual([1, 2, 3, 4])
  })

  test('is judged by claims and finishes, not by beats', () => {
    const { crew } = sceneOf(1)
    crew.post(0, ...newTasks(3))
    const thread = crew.thread(0)
    for (let step = 0; step < 2; step++) {
      const held = thread.start()!
      expect(scene.rescueAfter(3)).toEqual([])
      thread.end(held, 1)
    }
    crew.lane(0).readAnswers()
    thread.start()
    for (let step = 0; step < 5; step++) {
      crew.clock.advance(1)
      thread.beat()
    }
    crew.post(0, newTask({ payload: 9, sequence: 9 }))
    expect(scene.rescueAfter(5)).toContain(9)
  })

  test('keeps its only task once that has started', () => {
    const { crew } = sceneOf(2)
    crew.post(0, newTask())
    crew.thread(0).start()
    expect(scene.rescueAfter(10_000)).toEqual([])
    expect(crew.worker(0).held).toBe(false)
  })

  test('gives back its only task when the worker has not even started it', () => {
    const { crew } = sceneOf(2)
    crew.post(0, newTask({ payload: 7 }))
    expect(scene.rescueAfter(4)).toEqual([])
    expect(scene.rescueAfter(0.2)).toEqual([7])
    expect(crew.worker(0).heldBy).toBe(-1)
  })

  test('gives back I/O tasks that queue behind a stuck turn', () => {
    const { crew } = sceneOf(2)
    crew.post(0, newTask({ payload: 0 }), ...newTasks(2, { kind: 'io', name: 'fetch' }))
    crew.thread(0).start('cpu')
    expect(scene.rescueAfter(5)).toEqual([0, 1])
  })

  test('started I/O tasks wait as long as they like', () => {
    const { crew } = sceneOf(2)
    crew.post(0, ...newTasks(3, { kind: 'io', name: 'fetch' }))
    for (let task = 0; task < 3; task++) crew.thread(0).start('io')
    expect(scene.rescueAfter(10_000)).toEqual([])
  })

  test('a task that was moved to the worker stays there', () => {
    const { crew } = sceneOf(2)
    const buffer = new ArrayBuffer(4)
    crew.post(0, newTask({ payload: buffer, options: { transfer: [buffer] } }), newTask({ payload: 5, sequence: 1 }))
    expect(scene.rescueAfter(10)).toEqual([5])
    expect(crew.lane(0).outstanding).toBe(1)
  })

  test.each<Partial<DispatcherOptions>>([{ takeBack: false }, { mode: 'push' }])(
    'keeps everything with %j',
    (options) => {
      const { crew, takeBack } = sceneOf(2, options)
      crew.post(0, ...newTasks(4))
      expect(scene.rescueAfter(1_000)).toEqual([])
      takeBack.takeAll(crew.worker(0), false)
      expect([takeBack.share(), takeBack.makeRoomFor(newTask({ options: { priority: 9 } }))]).toEqual([false, false])
      expect(scene.back).toEqual([])
    },
  )
})

describe('a lane whose messages take long to read', () => {
  /** A payload whose clone takes so long, by the clock of the test. */
  const slowToPost = (crew: FakeCrew, ms: number) => ({
    get slow() {
      crew.clock.advance(ms)
      return Buffer.alloc(1)
    },
  })

  function slowTask(crew: FakeCrew, ms: number): Task {
    const task = newTask({ payload: slowToPost(crew, ms) })
    crew.post(0, task)
    return task
  }

  test('gets five times more of what posting took, also for what is posted behind', () => {
    const { crew } = sceneOf(2)
    const task = slowTask(crew, 40)
    crew.post(0, newTask({ payload: 'behind', sequence: 1 }))
    expect(task.repostUs).toBeGreaterThanOrEqual(40_000)
    const wokenMs = crew.clock.nowMs()
    const waitFor = (count: number) => {
      while (scene.back.length < count) {
        crew.worker(0).heldBy = undefined
        scene.rescueAfter(1)
      }
      return crew.clock.nowMs() - wokenMs - 5 * (task.repostUs / 1000)
    }
    // The one that is costly to send again waits 20 ms longer.
    expect(waitFor(1)).toSatisfy((moreMs) => moreMs > 0 && moreMs < 10)
    expect(scene.back.map(({ payload }) => payload)).toEqual(['behind'])
    expect(waitFor(2)).toSatisfy((moreMs) => moreMs > 20 && moreMs < 30)
  })

  test('gives a task back after twice the time when it was taken back before, and again', () => {
    const { crew } = sceneOf(2)
    const task = slowTask(crew, 10)
    const waits: number[] = []
    for (let round = 0; round < 3; round++) {
      const postedMs = crew.clock.nowMs()
      while (scene.back.length === 0) scene.rescueAfter(1)
      waits.push(crew.clock.nowMs() - postedMs)
      scene.back.length = 0
      crew.worker(0).heldBy = undefined
      crew.post(0, task)
    }
    const [first, second, third] = waits as [number, number, number]
    expect([second / first, third / second].every((ratio) => ratio > 1.7 && ratio < 2.3)).toBe(true)
    expect(task.takenBack).toBe(3)
    scene.rescueAfter(1_000_000)
    expect(scene.back).toEqual([])
  })

  test('gives a task that was taken back before together with one in front of it, which it would overtake', () => {
    const { crew } = sceneOf(1)
    const tasks = newTasks(4)
    tasks[3]!.takenBack = 1
    crew.post(0, ...tasks)
    crew.thread(0).start()
    const afterMs: number[][] = []
    while (afterMs.length < 20 && scene.back.length === 0) afterMs.push(scene.rescueAfter(0.5))
    expect(afterMs.at(-1)).toEqual([1, 2, 3])
  })

  test('keeps a task that was taken back three times, until its worker is lost or another task runs there', () => {
    const { crew, takeBack } = sceneOf(2)
    const [first, second] = newTasks(2) as [Task, Task]
    second.takenBack = 3
    crew.post(0, first, second)
    takeBack.takeAll(crew.worker(0), false)
    // Nor the one in front of it, which would be overtaken.
    expect(scene.back).toEqual([])
    takeBack.takeAll(crew.worker(0), true)
    expect(scene.back).toEqual([first, second])
    crew.post(1, first, second)
    crew.thread(1).start()
    takeBack.takeAll(crew.worker(1), false)
    expect(scene.back).toEqual([first, second, second])
  })

  test('does not give to an idle worker what is costly to send, nor to a higher priority a second time', () => {
    const { crew, takeBack } = sceneOf(2)
    crew.post(0, ...newTasks(3))
    const task = slowTask(crew, 1)
    expect(takeBack.share()).toBe(false)
    const urgent = newTask({ options: { priority: 5 } })
    expect(takeBack.makeRoomFor(urgent)).toBe(true)
    expect(scene.back).toEqual([task])
    crew.post(0, task)
    expect(takeBack.makeRoomFor(urgent)).toBe(false)
  })

  test('is not stuck when all it holds has ended, and only this side has not read the answers', () => {
    const { crew } = sceneOf(2)
    crew.post(0, ...newTasks(3))
    crew.thread(0).runAll()
    expect(scene.rescueAfter(10_000)).toEqual([])
    expect(crew.worker(0).held).toBe(false)
  })
})

describe('a held lane', () => {
  test('is let go when the task that held the turn has answered, not when another one has', () => {
    const { crew, takeBack } = sceneOf(2)
    crew.post(0, ...newTasks(2), newTask({ kind: 'io', name: 'fetch' }))
    const thread = crew.thread(0)
    const io = thread.start('io')!
    const turn = thread.start('cpu')!
    scene.rescueAfter(10)
    thread.end(io, 1)
    thread.answer()
    crew.lane(0).readAnswers()
    takeBack.release(crew.worker(0))
    expect(crew.worker(0).held).toBe(true)
    thread.end(turn, 1)
    thread.answer()
    crew.lane(0).readAnswers()
    takeBack.release(crew.worker(0))
    expect(crew.worker(0).held).toBe(false)
  })

  test('is let go at the next answer of any kind when nothing held the turn', () => {
    const { crew, takeBack } = sceneOf(2)
    crew.post(0, ...newTasks(2))
    scene.rescueAfter(10)
    expect(crew.worker(0).heldBy).toBe(-1)
    takeBack.release(crew.worker(0))
    expect(crew.worker(0).held).toBe(false)
  })

  test('is not looked at again meanwhile', () => {
    const { crew } = sceneOf(2)
    crew.post(0, ...newTasks(3))
    crew.thread(0).start()
    scene.rescueAfter(10)
    crew.post(0, newTask({ payload: 8, sequence: 8 }))
    expect(scene.rescueAfter(10)).toEqual([1, 2])
  })

  test('a worker that gave nothing back is not held', () => {
    const { crew, takeBack } = sceneOf(1)
    crew.post(0, newTask())
    crew.thread(0).start()
    takeBack.takeAll(crew.worker(0), false)
    expect(crew.worker(0).held).toBe(false)
  })
})

describe('sharing with an idle worker', () => {
  const half = statsOf('work', 'cpu', 0.5, 50)

  test('moves the newer half of the unstarted work of the lane with most', () => {
    const { crew, takeBack } = sceneOf(3)
    crew.post(0, ...newTasks(3, { stats: half }))
    crew.post(1, ...newTasks(5, { stats: half }))
    crew.thread(1).start()
    expect(takeBack.share()).toBe(true)
    expect(scene.back.map(({ payload }) => payload)).toEqual([3, 4])
    expect(crew.worker(1)).toMatchObject({ record: { takenBack: 2 }, held: false })
    expect(crew.lane(1).cpu.size).toBe(3)
    expect(crew.lane(0).cpu.size).toBe(3)
  })

  test('half a millisecond is not worth it', () => {
    const { crew, takeBack } = sceneOf(2)
    crew.post(0, ...newTasks(2, { stats: half }))
    expect(takeBack.share()).toBe(false)
    expect(crew.lane(0).cpu.size).toBe(2)
  })

  test('stops at a keyed task, which would only come back', () => {
    const { crew, takeBack } = sceneOf(2)
    const keyed = newTask({ stats: half, options: { key: 'a' }, payload: 'keyed', sequence: 3 })
    crew.post(0, ...newTasks(3, { stats: half }), keyed, newTask({ stats: half, payload: 'newest', sequence: 4 }))
    expect(takeBack.share()).toBe(true)
    expect(scene.back.map(({ payload }) => payload)).toEqual(['newest'])
    expect(crew.lane(0).cpu.last).toBe(keyed)
  })

  test('nothing moves when the worker was faster', () => {
    const { crew, takeBack } = sceneOf(2)
    crew.post(0, ...newTasks(3))
    for (let task = 0; task < 3; task++) crew.thread(0).end(crew.thread(0).start()!, 1)
    expect(takeBack.share()).toBe(false)
    expect(scene.back).toEqual([])
  })
})

describe('making room for a higher priority', () => {
  const urgent = newTask({ options: { priority: 5 } })

  test('takes the newest unstarted task of lower priority, of the same kind', () => {
    const { crew, takeBack } = sceneOf(1)
    crew.post(0, ...newTasks(3), ...newTasks(2, { kind: 'io', name: 'fetch' }))
    crew.thread(0).start()
    expect(takeBack.makeRoomFor(urgent)).toBe(true)
    expect(scene.back.map(({ payload, kind }) => [payload, kind])).toEqual([[2, 'cpu']])
    expect(crew.worker(0)).toMatchObject({ held: false, record: { takenBack: 1 } })
  })

  test('leaves equals and what has started alone', () => {
    const { crew, takeBack } = sceneOf(2)
    crew.post(0, newTask({ options: { priority: 5 } }))
    crew.post(1, newTask())
    crew.thread(1).start()
    expect(takeBack.makeRoomFor(urgent)).toBe(false)
    expect(scene.back).toEqual([])
  })

  test('passes over workers that would not get the room: held, reserved or draining ones', () => {
    const { crew, takeBack } = sceneOf(3)
    for (const slot of [0, 1, 2]) crew.post(slot, ...newTasks(2))
    crew.worker(0).heldBy = -1
    crew.worker(1).reserved = newTask()
    crew.worker(2).state = 'draining'
    expect(takeBack.makeRoomFor(urgent)).toBe(false)
  })

  test('never takes a task that was moved to the worker: it could not be sent again', () => {
    const { crew, takeBack } = sceneOf(1)
    const buffer = new ArrayBuffer(4)
    crew.post(0, newTask({ payload: buffer, options: { transfer: [buffer] } }))
    expect(takeBack.makeRoomFor(urgent)).toBe(false)
    expect(scene.back).toEqual([])
  })
})
