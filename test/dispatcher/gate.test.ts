import PQueue from 'p-queue'
import { expect, test } from 'vitest'
import { Gate } from '../../src/dispatcher/gate.js'
import type { Task } from '../../src/dispatcher/task.js'
import { newTask, newTasks } from '../support/new-task.js'

class Scene {
  readonly passed: unknown[] = []
  readonly gate = new Gate(1_000, (task) => this.passed.push(task.payload))
  readonly limiter: PQueue

  constructor(options: ConstructorParameters<typeof PQueue>[0]) {
    this.limiter = new PQueue(options)
  }

  enter(...tasks: readonly Task[]): void {
    for (const task of tasks) this.gate.enter(task)
  }
}

const turn = () => new Promise(setImmediate)

test('lets as many pass as may be under way, the next when one settles, in order', async () => {
  const scene = new Scene({ concurrency: 2 })
  const tasks = newTasks(5)
  scene.enter(...tasks)
  expect([scene.passed, tasks[0]!.state]).toEqual([[], 'gated'])
  scene.gate.open(scene.limiter)
  expect([scene.passed, scene.gate.underWay]).toEqual([[0, 1], 2])
  scene.gate.leave(tasks[1]!)
  await turn()
  expect(scene.passed).toEqual([0, 1, 2])
  for (const task of tasks) scene.gate.leave(task)
  await turn()
  for (const task of tasks) scene.gate.leave(task)
  await turn()
  expect([scene.passed.length, scene.gate.underWay, scene.limiter.pending]).toEqual([5, 0, 0])
})

test('keeps all but a few out of the limiter, so that priority counts to the last', async () => {
  const scene = new Scene({ concurrency: 1 })
  scene.gate.open(scene.limiter)
  const tasks = newTasks(100)
  scene.enter(...tasks)
  expect(scene.limiter.size).toBeLessThanOrEqual(2)
  scene.enter(newTask({ payload: 'urgent', sequence: 100, options: { priority: 9 } }))
  scene.gate.leave(tasks[0]!)
  await turn()
  expect(scene.passed).toEqual([0, 'urgent'])
})

test('a task that leaves the line before its turn takes no place of the interval', async () => {
  const scene = new Scene({ intervalCap: 2, interval: 60, strict: true })
  scene.gate.open(scene.limiter)
  const tasks = newTasks(4)
  scene.enter(...tasks)
  expect(scene.passed).toEqual([0, 1])
  scene.gate.remove(tasks[2]!)
  scene.gate.remove(tasks[3]!)
  expect([scene.limiter.size, scene.gate.waiting.size]).toEqual([0, 0])
  scene.enter(...newTasks(3, { payload: 'later' }))
  while (scene.passed.length < 4) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(scene.passed).toEqual([0, 1, 'later', 'later'])
  scene.limiter.clear()
})

test('a task that settles while it passes lets the next one in', async () => {
  const passed: unknown[] = []
  const gate: Gate = new Gate(1_000, (task) => {
    passed.push(task.payload)
    gate.leave(task)
  })
  gate.open(new PQueue({ concurrency: 1 }))
  for (const task of newTasks(4)) gate.enter(task)
  while (passed.length < 4) await turn()
  expect(passed).toEqual([0, 1, 2, 3])
})
