import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Limits, Stops } from '../../../src/dispatcher/settling/limits.js'
import type { Task } from '../../../src/dispatcher/tasks/task.js'
import { newTask, newTasks } from '../../support/new-task.js'
import '../../support/seeded-properties.js'

function takenAt(limits: Limits, nowMs: number): Task[] {
  const taken: Task[] = []
  for (let task = limits.takeDue(nowMs); task !== undefined; task = limits.takeDue(nowMs)) taken.push(task)
  return taken
}

describe('limits', () => {
  test('come due in the order of their times, and not before', () => {
    const limits = new Limits()
    const tasks = newTasks(4)
    for (const [index, dueMs] of [30, 10, 40, 20].entries()) limits.set(tasks[index]!, dueMs)
    expect(takenAt(limits, 9)).toEqual([])
    expect(takenAt(limits, 30)).toEqual([tasks[1], tasks[3], tasks[0]])
    expect(limits.size).toBe(1)
  })

  test('a task has one limit: a later call moves it', () => {
    const limits = new Limits()
    const task = newTask()
    limits.set(task, 10)
    limits.set(task, 50)
    expect(limits.size).toBe(1)
    expect(limits.takeDue(49)).toBeUndefined()
    limits.set(task, 5)
    expect(limits.takeDue(5)).toBe(task)
    expect(limits.size).toBe(0)
  })

  test('keep their order when one from the middle is dropped and a sooner one takes its place', () => {
    const limits = new Limits()
    const tasks = newTasks(7)
    const duesMs = [1, 50, 2, 60, 70, 3, 4]
    for (const [index, dueMs] of duesMs.entries()) limits.set(tasks[index]!, dueMs)
    limits.drop(tasks[3]!)
    expect(takenAt(limits, 100).map(({ limitDueMs }) => limitDueMs)).toEqual([1, 2, 3, 4, 50, 70])
  })

  test('a dropped one never comes due, and dropping it again does nothing', () => {
    const limits = new Limits()
    const [one, two] = newTasks(2)
    limits.set(one!, 10)
    limits.set(two!, 20)
    limits.drop(one!)
    limits.drop(one!)
    expect(takenAt(limits, 1_000)).toEqual([two])
  })
})

test('any mix of set, drop and take gives what a sorted list gives, and every task knows its place', () => {
  const step = fc.record({
    do: fc.constantFrom('set' as const, 'drop' as const, 'drop' as const, 'take' as const),
    at: fc.nat(39),
    ms: fc.nat(100),
  })
  fc.assert(
    fc.property(fc.array(fc.nat(100), { maxLength: 40 }), fc.array(step, { maxLength: 60 }), (dues, steps) => {
      const limits = new Limits()
      const tasks = newTasks(40)
      const model = new Map<Task, number>()
      for (const [index, dueMs] of dues.entries()) {
        limits.set(tasks[index]!, dueMs)
        model.set(tasks[index]!, dueMs)
      }
      let nowMs = 0
      for (const each of steps) {
        const task = tasks[each.at]!
        if (each.do === 'set') {
          limits.set(task, each.ms)
          model.set(task, each.ms)
        } else if (each.do === 'drop') {
          limits.drop(task)
          model.delete(task)
        } else {
          nowMs = each.ms
          const firstDue = Math.min(...model.values(), Number.POSITIVE_INFINITY)
          const taken = limits.takeDue(nowMs)
          expect(taken === undefined).toBe(firstDue > nowMs)
          if (taken !== undefined) {
            expect(model.get(taken)).toBe(firstDue)
            model.delete(taken)
          }
        }
        expect(limits.size).toBe(model.size)
        const places = tasks.filter((each) => model.has(each)).map((each) => each.limitIndex)
        expect(places.toSorted((a, b) => a - b)).toEqual(places.map((_, index) => index))
        expect(tasks.filter((each) => !model.has(each)).every((each) => each.limitIndex === -1)).toBe(true)
      }
      const due = takenAt(limits, 100).map((task) => model.get(task))
      expect(due).toEqual([...model.values()].sort((a, b) => a - b))
    }),
  )
})

describe('stops of the process', () => {
  test('of each stop counts what came after the time asked for', () => {
    const stops = new Stops()
    stops.note(5_000, 3_000)
    stops.note(9_000, 0)
    stops.note(10_000, 1_000)
    expect([0, 1_000, 2_000, 3_000, 5_000, 9_500, 10_000].map((fromMs) => stops.since(fromMs))).toEqual([
      4_000, 4_000, 4_000, 3_000, 1_000, 500, 0,
    ])
  })

  test('the last stops are kept, however many there were', () => {
    const stops = new Stops()
    for (let second = 1; second <= 1_000; second++) stops.note(second * 1_000, 500)
    expect(stops.since(998_000)).toBe(1_000)
    expect(stops.since(0)).toBeLessThan(100_000)
  })
})
