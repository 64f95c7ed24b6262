import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CentralQueue } from '../../../src/dispatcher/places/central-queue.js'
import type { Task } from '../../../src/dispatcher/tasks/task.js'
import { newTask, newTasks } from '../../support/new-task.js'
import '../../support/seeded-properties.js'

const AGE_MS = 100

function waiting(priority: number, submittedMs: number, sequence: number): Task {
  return newTask({ submittedMs, sequence, options: priority === 0 ? {} : { priority } })
}

/** Takes all tasks out in the order the queue gives them. */
function drained(queue: CentralQueue): number[] {
  const order: number[] = []
  for (let task = queue.peek(); task !== undefined; task = queue.peek()) {
    queue.remove(task)
    order.push(task.sequence)
  }
  return order
}

describe('order', () => {
  test('within a class it is that of submission', () => {
    const queue = new CentralQueue(AGE_MS)
    for (const task of newTasks(5)) queue.push(task)
    expect(drained(queue)).toEqual([0, 1, 2, 3, 4])
    expect(queue.size).toBe(0)
    expect(queue.peek()).toBeUndefined()
  })

  test('a larger priority goes first, a negative one last', () => {
    const queue = new CentralQueue(AGE_MS)
    for (const [sequence, priority] of [-1, 0, 3, 1, 0].entries()) queue.push(waiting(priority, 1_000, sequence))
    expect(drained(queue)).toEqual([2, 3, 1, 4, 0])
  })

  test('waiting for one ageing time is worth one priority', () => {
    const queue = new CentralQueue(AGE_MS)
    queue.push(waiting(0, 1_000, 0))
    queue.push(waiting(1, 1_099, 1))
    expect(queue.peek()!.sequence).toBe(1)
    queue.remove(queue.peek()!)
    queue.push(waiting(1, 1_101, 2))
    expect(drained(queue)).toEqual([0, 2])
  })

  test('at equal rank the one submitted first goes first', () => {
    const [low, high] = [waiting(0, 1_000, 0), waiting(1, 1_100, 1)]
    for (const order of [
      [low, high],
      [high, low],
    ]) {
      const queue = new CentralQueue(AGE_MS)
      for (const task of order) queue.push(task)
      expect(drained(queue)).toEqual([0, 1])
    }
  })

  test('tasks that get another priority stand in their new class as if they had come with it', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: -1, max: 1 }), fc.boolean()), { maxLength: 30 }), (wanted) => {
        const [moved, fresh] = [new CentralQueue(AGE_MS), new CentralQueue(AGE_MS)]
        const tasks = wanted.map(([priority], sequence) => waiting(priority, 1_000, sequence))
        for (const task of tasks) moved.push(task)
        moved.reprioritise(
          tasks.filter((_, at) => wanted[at]![1]),
          1,
        )
        for (const [sequence, [priority, raised]] of wanted.entries()) {
          fresh.push(waiting(raised ? 1 : priority, 1_000, sequence))
        }
        expect(moved.size).toBe(wanted.length)
        expect(drained(moved)).toEqual(drained(fresh))
        expect(moved.size).toBe(0)
      }),
    )
  })

  test('a low priority is not starved by a stream of high ones', () => {
    const queue = new CentralQueue(AGE_MS)
    queue.push(waiting(0, 0, 0))
    let served = 0
    for (let nowMs = 1; ; nowMs++) {
      queue.push(waiting(5, nowMs, nowMs))
      const next = queue.peek()!
      queue.remove(next)
      if (next.sequence === 0) break
      served++
    }
    expect(served).toBeLessThanOrEqual(5 * AGE_MS)
    expect(served).toBeGreaterThan(4 * AGE_MS)
  })

  test('tasks that come back stand where their submission says, in whatever order they come back', () => {
    const queue = new CentralQueue(AGE_MS)
    const tasks = newTasks(6)
    for (const task of tasks) queue.push(task)
    for (const at of [0, 1, 2, 4]) queue.remove(tasks[at]!)
    for (const at of [4, 1, 0, 2]) queue.putBack(tasks[at]!)
    expect(drained(queue)).toEqual([0, 1, 2, 3, 4, 5])
  })
})

describe('looking', () => {
  test('counts by priority, on top of what another queue counted', () => {
    const queue = new CentralQueue(AGE_MS)
    for (const priority of [0, 4, 4, -1]) queue.push(waiting(priority, 0, 0))
    const counts = new Map([[4, 10]])
    queue.countInto(counts)
    expect([...counts].sort((a, b) => a[0] - b[0])).toEqual([
      [-1, 1],
      [0, 1],
      [4, 12],
    ])
  })

  test('the oldest is the one submitted first, whatever its priority', () => {
    const queue = new CentralQueue(AGE_MS)
    expect(queue.oldest()).toBeUndefined()
    queue.push(waiting(-3, 1_000, 0))
    queue.push(waiting(9, 1_001, 1))
    expect(queue.oldest()!.sequence).toBe(0)
    expect(queue.peek()!.sequence).toBe(1)
  })

  test('all can be walked through while each is removed on the way', () => {
    const queue = new CentralQueue(AGE_MS)
    for (let sequence = 0; sequence < 9; sequence++) queue.push(waiting(sequence % 3, 1_000, sequence))
    const seen: number[] = []
    for (const task of queue) {
      seen.push(task.sequence)
      queue.remove(task)
    }
    expect(seen.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    expect(queue.size).toBe(0)
  })
})

describe('against a sorted array', () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('push' as const), priority: fc.integer({ min: -2, max: 2 }) }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('take' as const), at: fc.nat(1_000) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('take next' as const), at: fc.nat(0) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('put back' as const), at: fc.nat(1_000) }) },
  )

  /** First by what ageing makes of priority, then by submission. */
  const byRank = (a: Task, b: Task) =>
    a.submittedMs - a.priority * AGE_MS - (b.submittedMs - b.priority * AGE_MS) || a.sequence - b.sequence

  test('any mix of push, put back and remove gives the same next, the same oldest and the same members', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 120 }),
        // Often whole ageing times, so that ranks are often equal.
        fc.array(fc.constantFrom(0, 7, AGE_MS / 2, AGE_MS), { minLength: 120, maxLength: 120 }),
        (steps, gaps) => {
          const queue = new CentralQueue(AGE_MS)
          const model: Task[] = []
          const out: Task[] = []
          let nowMs = 1_000
          let sequence = 0
          for (const [index, each] of steps.entries()) {
            nowMs += gaps[index]!
            if (each.do === 'push') {
              const task = waiting(each.priority, nowMs, sequence++)
              queue.push(task)
              model.push(task)
            } else if (each.do === 'put back' && out.length > 0) {
              const [task] = out.splice(each.at % out.length, 1)
              queue.putBack(task!)
              model.push(task!)
            } else if (each.do !== 'put back' && model.length > 0) {
              model.sort(byRank)
              const [task] = model.splice(each.at % model.length, 1)
              queue.remove(task!)
              out.push(task!)
            }
            model.sort(byRank)
            expect(queue.size).toBe(model.length)
            expect(queue.peek()).toBe(model[0])
            expect(queue.oldest()).toBe(model.toSorted((a, b) => a.sequence - b.sequence)[0])
          }
          expect([...queue].map((task) => task.sequence).sort((a, b) => a - b)).toEqual(
            model.map((task) => task.sequence).sort((a, b) => a - b),
          )
          expect(drained(queue)).toEqual(model.map((task) => task.sequence))
        },
      ),
    )
  })
})

test('classes come and go without leaving anything behind that slows the next look', () => {
  const queue = new CentralQueue(AGE_MS)
  for (let priority = 1; priority <= 2_000; priority++) {
    const task = waiting(priority, 1_000, priority)
    queue.push(task)
    queue.remove(task)
  }
  queue.push(waiting(0, 1_000, 1))
  expect([...queue]).toHaveLength(1)
  expect(queue.peek()!.sequence).toBe(1)
})
