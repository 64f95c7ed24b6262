import { expect, test } from 'vitest'
import { HeldTasks } from '../../src/engine/held-tasks.js'
import { PlainTask } from './lane-tasks.js'

class Tasks extends HeldTasks<PlainTask> {
  override add(task: PlainTask, nowMs: number): void {
    super.add(task, nowMs)
  }

  override remove(task: PlainTask): void {
    super.remove(task)
  }
}

test('lists are in the order of posting, and the time is that of the first task since there was none', () => {
  const tasks = new Tasks()
  const [first, second, third] = ['work', 'other', 'work'].map((name) => new PlainTask({ name })) as [
    PlainTask,
    PlainTask,
    PlainTask,
  ]
  tasks.add(first, 5)
  tasks.add(second, 6)
  expect([[...tasks.cpu], tasks.cpuSinceMs, tasks.ioSinceMs, tasks.outstanding]).toEqual([[first, second], 5, 0, 2])
  tasks.remove(first)
  tasks.remove(second)
  tasks.add(third, 9)
  expect([[...tasks.cpu], tasks.cpuSinceMs]).toEqual([[third], 9])
})

test('the expected time without tasks is exactly zero, whatever fractions came and went', () => {
  const tasks = new Tasks()
  const some = [0.1, 0.2, 0.3].map((expectedMs) => Object.assign(new PlainTask({ name: 'work' }), { expectedMs }))
  for (const task of some) tasks.add(task, 0)
  for (const task of some) tasks.remove(task)
  expect(tasks.expectedMs).toBe(0)
})
