import PQueue from 'p-queue'
import { describe, expect, test } from 'vitest'
import { checkGates, type GateOptions } from '../../../src/dispatcher/options/run-options.js'
import { Gate, GateKeeper } from '../../../src/dispatcher/places/gates.js'
import type { Task } from '../../../src/dispatcher/tasks/task.js'
import { FakeClock } from '../../support/fake-clock.js'
import { newTask, newTasks } from '../../support/new-task.js'

/** A gate whose tasks are posted, started and settled by the test. */
class Scene {
  readonly clock = new FakeClock()
  /** Tasks in the central queue. */
  readonly standing: Task[] = []
  readonly passed: unknown[] = []
  readonly running = new Set<Task>()
  readonly gate: Gate

  constructor(options: GateOptions, isOpen = true) {
    this.gate = new Gate(options, 1_000, this.clock, {
      enter: (task) => {
        task.place = 'queue'
        this.standing.push(task)
      },
      withdraw: (task) => this.standing.splice(this.standing.indexOf(task), 1),
      isStarted: (task) => this.running.has(task),
    })
    if (isOpen) this.gate.open(PQueue)
  }

  enter(...tasks: readonly Task[]): void {
    for (const task of tasks) this.gate.enter(task)
  }

  /** All that may pass are posted. */
  async post(): Promise<Task[]> {
    const posted: Task[] = []
    for (let idle = 0; idle < 2; idle++) {
      for (let task = this.standing.shift(); task !== undefined; task = this.standing.shift()) {
        idle = 0
        task.place = 'lane'
        this.gate.posted(task)
        posted.push(task)
        this.passed.push(task.payload)
      }
      await new Promise(setImmediate)
    }
    return posted
  }

  /** They start, and are seen to. */
  start(...tasks: readonly Task[]): void {
    for (const task of tasks) this.running.add(task)
    this.gate.look()
  }
}

test('lets as many pass as may be under way, the next when one settles, in order', async () => {
  const scene = new Scene({ concurrency: 2 }, false)
  const tasks = newTasks(5)
  scene.enter(...tasks)
  expect([await scene.post(), tasks[0]!.place]).toEqual([[], 'gate'])
  scene.gate.open(PQueue)
  await scene.post()
  expect(scene.passed).toEqual([0, 1])
  scene.gate.leave(tasks[1]!)
  await scene.post()
  expect(scene.passed).toEqual([0, 1, 2])
  for (const task of tasks.slice(0, 3)) scene.gate.leave(task)
  await scene.post()
  expect(scene.passed).toEqual([0, 1, 2, 3, 4])
})

test('one task at a time stands in the central queue, and makes way for one that comes before it', async () => {
  const scene = new Scene({ concurrency: 5 })
  const tasks = newTasks(3)
  scene.enter(...tasks)
  expect(scene.standing).toEqual([tasks[0]])
  const urgent = newTask({ payload: 'urgent', sequence: 9, options: { priority: 9 } })
  scene.enter(urgent)
  await new Promise(setImmediate)
  expect([scene.standing, tasks[0]!.place]).toEqual([[urgent], 'gate'])
  await scene.post()
  expect(scene.passed).toEqual(['urgent', 0, 1, 2])
})

test('another priority counts for the task that stands in the queue as well', async () => {
  const scene = new Scene({ concurrency: 1 })
  const [first, second] = newTasks(2)
  scene.enter(first!, second!)
  first!.priority = -1
  scene.gate.reprioritise([], -1)
  await new Promise(setImmediate)
  expect(scene.standing).toEqual([second])
})

test('an interval counts from the start, however late that is', async () => {
  const scene = new Scene({ intervalCap: 2, intervalMs: 60 })
  scene.enter(...newTasks(5))
  const posted = await scene.post()
  expect(scene.passed).toEqual([0, 1])
  scene.clock.advance(1_000)
  await scene.post()
  expect(scene.passed).toHaveLength(2)
  scene.start(posted[0]!)
  scene.clock.advance(30)
  scene.start(posted[1]!)
  scene.clock.advance(30)
  const [third] = await scene.post()
  expect(scene.passed).toEqual([0, 1, 2])
  scene.start(third!)
  scene.clock.advance(29)
  await scene.post()
  expect(scene.passed).toHaveLength(3)
  scene.clock.advance(1)
  await scene.post()
  expect(scene.passed).toEqual([0, 1, 2, 3])
})

test('the end of a run gives the interval nothing back', async () => {
  const scene = new Scene({ intervalCap: 1, intervalMs: 60 })
  scene.enter(...newTasks(2))
  const [first] = await scene.post()
  scene.gate.started(first!)
  scene.gate.leave(first!)
  await scene.post()
  expect(scene.passed).toEqual([0])
  scene.clock.advance(60)
  await scene.post()
  expect(scene.passed).toEqual([0, 1])
})

test('a task that ends before its start takes no place of the interval, one that was asked to end does', async () => {
  const scene = new Scene({ intervalCap: 2, intervalMs: 60 })
  const tasks = newTasks(5)
  scene.enter(...tasks)
  const [unstarted, asked] = await scene.post()
  asked!.ending = new Error('aborted')
  scene.gate.leave(unstarted!)
  scene.gate.leave(asked!)
  scene.gate.remove(tasks[2]!)
  await scene.post()
  expect(scene.passed).toEqual([0, 1, 3])
})

test('a task that comes back goes before those that came later, and takes its place anew', async () => {
  const scene = new Scene({ concurrency: 2 })
  const tasks = newTasks(4)
  scene.enter(...tasks)
  await scene.post()
  scene.gate.putBack(tasks[0]!)
  expect(tasks[0]!.place).toBe('gate')
  await scene.post()
  expect(scene.passed).toEqual([0, 1, 0])
})

test('no timer runs when nobody waits', async () => {
  const scene = new Scene({ intervalCap: 1, intervalMs: 3_600_000 })
  const [first, second] = newTasks(2)
  scene.enter(first!, second!)
  await scene.post()
  scene.start(first!)
  expect(scene.clock.timers).toBe(1)
  scene.gate.remove(second!)
  expect(scene.clock.timers).toBe(0)
  const third = newTask({ payload: 'later', sequence: 3 })
  scene.enter(third)
  expect(scene.clock.timers).toBe(1)
  scene.clock.advance(3_600_000)
  await scene.post()
  expect([scene.passed, scene.clock.timers]).toEqual([[0, 'later'], 0])
})

describe('the gates by name', () => {
  class Scene {
    readonly passed: Task[] = []
    readonly failed: unknown[] = []
    loads = 0
    readonly keeper: GateKeeper

    constructor(load: () => Promise<typeof PQueue> = async () => PQueue) {
      const gates = checkGates({ one: { concurrency: 1 }, two: { concurrency: 2 } })
      const events = {
        enter: (task: Task) => {
          this.passed.push(task)
          task.place = 'lane' as const
          queueMicrotask(() => this.keeper.of(task.options.gate!).posted(task))
        },
        withdraw: () => {},
        isStarted: () => true,
        failed: (_task: Task, error: unknown) => void this.failed.push(error),
      }
      this.keeper = new GateKeeper(gates, 1_000, new FakeClock(), events, () => {
        this.loads++
        return load()
      })
    }

    enter(gate: string, sequence: number): Task {
      const task = newTask({ options: { gate }, sequence })
      this.keeper.enter(task)
      return task
    }

    leave(task: Task): void {
      this.keeper.of(task.options.gate!).leave(task)
    }
  }

  test('the limiter is loaded by the first task, once', async () => {
    const scene = new Scene()
    expect(scene.loads).toBe(0)
    for (const sequence of [0, 1, 2]) scene.enter('two', sequence)
    await new Promise(setImmediate)
    expect([scene.loads, scene.passed.length, [...scene.keeper].length, scene.keeper.size]).toEqual([1, 2, 1, 1])
  })

  test('gates know nothing of each other', async () => {
    const scene = new Scene()
    const [first, second] = [scene.enter('one', 0), scene.enter('one', 1)]
    const third = scene.enter('two', 2)
    await new Promise(setImmediate)
    expect(scene.passed).toEqual([first, third])
    scene.leave(third)
    await new Promise(setImmediate)
    expect(scene.passed).toHaveLength(2)
    scene.keeper.remove(second)
    expect([...scene.keeper]).toEqual([])
  })

  test('another priority reaches those that wait at a gate', async () => {
    const scene = new Scene()
    const [first, second, third] = [0, 1, 2].map((sequence) => scene.enter('one', sequence))
    scene.keeper.reprioritise([third!], 5)
    await new Promise(setImmediate)
    expect(scene.passed).toEqual([third])
    scene.leave(third!)
    await new Promise(setImmediate)
    scene.leave(first!)
    await new Promise(setImmediate)
    expect(scene.passed).toEqual([third, first, second])
  })

  test('a limiter that cannot be loaded fails those who wait, and is tried again', async () => {
    let broken = true
    const scene = new Scene(async () => {
      if (broken) throw new Error('not installed')
      return PQueue
    })
    scene.enter('one', 0)
    scene.enter('two', 1)
    await new Promise(setImmediate)
    expect(scene.failed).toEqual([new Error('not installed'), new Error('not installed')])
    broken = false
    const later = scene.enter('one', 2)
    await new Promise(setImmediate)
    expect(scene.passed).toEqual([later])
  })

  test('a gate that is not there is refused, and those that are get named', () => {
    const { keeper } = new Scene()
    keeper.of('one')
    expect(() => keeper.of('three')).toThrow(
      expect.objectContaining({ option: 'gate', message: expect.stringContaining('one, two') }),
    )
  })
})
