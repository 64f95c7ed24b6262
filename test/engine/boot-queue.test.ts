import { describe, expect, test } from 'vitest'
import { BootQueue } from '../../src/engine/boot-queue.js'
import { FakeClock } from '../support/fake-clock.js'

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

/** So many threads asked for at once; those that were started, and how each says that it is up. */
function queueOf(atOnce: number, threads: number) {
  const clock = new FakeClock()
  const queue = new BootQueue(atOnce, clock)
  const started: number[] = []
  const booted: (() => void)[] = []
  const starts = Array.from({ length: threads }, (_, index) => (isUp: () => void) => {
    started.push(index)
    booted[index] = isUp
  })
  for (const start of starts) queue.enter(start)
  return { clock, queue, started, booted, starts }
}

describe('threads that boot', () => {
  test('are no more than may at once, in the order they were asked for', async () => {
    const { started, booted } = queueOf(2, 5)
    expect(started).toEqual([0, 1])
    booted[1]!()
    expect(started).toEqual([0, 1])
    await turn()
    expect(started).toEqual([0, 1, 2])
    booted[0]!()
    booted[2]!()
    await turn()
    expect(started).toEqual([0, 1, 2, 3, 4])
  })

  test('make way once, however often they say that they are up', async () => {
    const { started, booted } = queueOf(1, 4)
    booted[0]!()
    booted[0]!()
    booted[0]!()
    await turn()
    expect(started).toEqual([0, 1])
  })

  test('are not waited for beyond a second', async () => {
    const { clock, started, booted } = queueOf(1, 3)
    clock.advance(1_000)
    await turn()
    expect(started).toEqual([0, 1])
    booted[0]!()
    await turn()
    expect(started).toEqual([0, 1])
    expect(clock.holding).toBe(0)
  })

  test('can leave before their turn, and not after', async () => {
    const { queue, started, booted, starts } = queueOf(1, 3)
    expect(queue.leave(starts[1]!)).toBe(true)
    expect(queue.leave(starts[1]!)).toBe(false)
    expect(queue.leave(starts[0]!)).toBe(false)
    booted[0]!()
    await turn()
    expect(started).toEqual([0, 2])
  })
})
