import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventQueue } from '../../../bench/sim/event-queue.js'

describe('EventQueue', () => {
  test('serves the earliest source, and of equal times the smallest number', () => {
    const queue = new EventQueue(5)
    queue.schedule(3, 2)
    queue.schedule(1, 2)
    queue.schedule(4, 1)
    expect([queue.next, queue.timeOf(queue.next)]).toEqual([4, 1])
    queue.cancel(4)
    expect(queue.next).toBe(1)
    queue.cancel(1)
    expect(queue.next).toBe(3)
  })

  test('with nothing scheduled the next time is infinite', () => {
    const queue = new EventQueue(3)
    expect(queue.timeOf(queue.next)).toBe(Number.POSITIVE_INFINITY)
  })

  test('agrees with a search of all times after any sequence of schedules and cancels', () => {
    const change = fc.tuple(fc.nat(16), fc.oneof(fc.nat(20), fc.constant(Number.POSITIVE_INFINITY)))
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        const queue = new EventQueue(17)
        const times = new Array<number>(17).fill(Number.POSITIVE_INFINITY)
        for (const [source, timeMs] of changes) {
          queue.schedule(source, timeMs)
          times[source] = timeMs
          expect(queue.next).toBe(times.indexOf(Math.min(...times)))
          expect(queue.timeOf(source)).toBe(timeMs)
        }
      }),
      { seed: 1 },
    )
  })
})
