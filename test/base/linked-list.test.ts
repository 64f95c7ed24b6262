import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../support/seeded-properties.js'
import { LinkedList } from '../../src/base/linked-list.js'

class Member {
  previous: Member | undefined = undefined
  next: Member | undefined = undefined
}

interface Act {
  readonly name: 'push' | 'shift' | 'insertBefore' | 'remove'
  /** Index, for the last two. */
  readonly at: number
}

const act: fc.Arbitrary<Act> = fc.record({
  name: fc.constantFrom('push', 'shift', 'insertBefore', 'remove'),
  at: fc.nat(8),
})

/** Does the same to the list and to an array. */
function perform(step: Act, list: LinkedList<Member>, model: Member[]): void {
  if (step.name === 'push') {
    const task = new Member()
    list.push(task)
    model.push(task)
  } else if (step.name === 'shift') expect(list.shift()).toBe(model.shift())
  else if (step.name === 'insertBefore') {
    const task = new Member()
    list.insertBefore(task, model[step.at])
    model.splice(step.at, 0, task)
  } else if (model[step.at] !== undefined) {
    list.remove(model[step.at]!)
    model.splice(step.at, 1)
  }
}

describe('LinkedList', () => {
  test('does what an array does, whatever comes, and lets go of what leaves', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (steps) => {
        const list = new LinkedList<Member>()
        const model: Member[] = []
        const gone: Member[] = []
        for (const step of steps) {
          const before = [...model]
          perform(step, list, model)
          gone.push(...before.filter((task) => !model.includes(task)))
          expect([...list]).toEqual(model)
          expect([list.size, list.first, list.last]).toEqual([model.length, model[0], model.at(-1)])
          // Backwards too.
          const back: Member[] = []
          for (let member = list.last; member !== undefined; member = member.previous) back.unshift(member)
          expect(back).toEqual(model)
        }
        for (const task of gone) expect([task.previous, task.next]).toEqual([undefined, undefined])
      }),
    )
  })

  test('may lose the task that an iteration stands at', () => {
    const list = new LinkedList<Member>()
    const tasks = Array.from({ length: 3 }, () => new Member())
    for (const task of tasks) list.push(task)
    const met: Member[] = []
    for (const task of list) {
      list.remove(task)
      met.push(task)
    }
    expect(met).toEqual(tasks)
    expect(list.size).toBe(0)
    expect(list.shift()).toBeUndefined()
  })
})
