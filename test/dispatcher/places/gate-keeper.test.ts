import PQueue from 'p-queue'
import { expect, test } from 'vitest'
import { checkGates } from '../../../src/dispatcher/options/gate-options.js'
import { GateKeeper } from '../../../src/dispatcher/places/gate-keeper.js'
import type { Task } from '../../../src/dispatcher/tasks/task.js'
import { FakeClock } from '../../support/fake-clock.js'
import { newTask } from '../../support/new-task.js'

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
