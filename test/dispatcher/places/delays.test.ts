import { expect, test } from 'vitest'
import { Delays } from '../../../src/dispatcher/places/delays.js'
import type { Task } from '../../../src/dispatcher/tasks/task.js'
import { FakeClock } from '../../support/fake-clock.js'
import { newTasks } from '../../support/new-task.js'

test('each task is handed on when its own time has come, and is held no longer', () => {
  const clock = new FakeClock()
  const due: Task[] = []
  const delays = new Delays(clock)
  delays.connect({ timeHasCome: (task) => due.push(task) })
  const [late, soon] = newTasks(2)
  delays.hold(late!, 50)
  delays.hold(soon!, 10)
  expect([late!.place, soon!.slot]).toEqual(['delay', -1])
  clock.advance(10)
  expect(due).toEqual([soon])
  expect([...delays]).toEqual([late])
  expect(delays.size).toBe(1)
  clock.advance(40)
  expect(due).toEqual([soon, late])
  expect([...delays]).toEqual([])
})

test('a task that was removed is not handed on, and leaves no timer', () => {
  const clock = new FakeClock()
  const due: Task[] = []
  const delays = new Delays(clock)
  delays.connect({ timeHasCome: (task) => due.push(task) })
  const [task] = newTasks(1)
  delays.hold(task!, 10)
  delays.remove(task!)
  expect([clock.timers, ...delays]).toEqual([0])
  clock.advance(100)
  expect(due).toEqual([])
})
