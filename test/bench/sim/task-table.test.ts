import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NONE, TaskList, TaskTable } from '../../../bench/sim/task-table.js'

function contents(list: TaskList, tasks: TaskTable): number[] {
  const found: number[] = []
  for (let task = list.head; task !== NONE; task = tasks.next[task]!) found.push(task)
  return found
}

describe('TaskList', () => {
  test('puts a returned task back where its submit order says', () => {
    const tasks = new TaskTable(10)
    const list = new TaskList(tasks)
    for (const task of [2, 5, 8]) list.push(task)
    list.insertInOrder(6)
    list.insertInOrder(0)
    list.insertInOrder(9)
    expect(contents(list, tasks)).toEqual([0, 2, 5, 6, 8, 9])
    expect([list.head, list.tail, list.length]).toEqual([0, 9, 6])
  })

  test('stays in order, linked both ways, under any removals and returns', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(29), { maxLength: 100 }), (toggles) => {
        const tasks = new TaskTable(30)
        const list = new TaskList(tasks)
        const held = new Set<number>()
        for (const task of toggles) {
          if (held.delete(task)) list.remove(task)
          else {
            held.add(task)
            list.insertInOrder(task)
          }
          const forwards = contents(list, tasks)
          expect(forwards).toEqual([...held].sort((a, b) => a - b))
          expect(list.length).toBe(held.size)
          const backwards: number[] = []
          for (let at = list.tail; at !== NONE; at = tasks.previous[at]!) backwards.push(at)
          expect(backwards.reverse()).toEqual(forwards)
        }
      }),
      { seed: 2 },
    )
  })
})
