import { describe, expect, test } from 'vitest'
import { PoolPressure, type PressureEvent } from '../../src/load/pool-pressure.js'

const calm = { cpuShare: 0.1, memoryShare: 0.1 }
const busy = { cpuShare: 0.95, memoryShare: 0.1 }
const full = { cpuShare: 0.1, memoryShare: 0.95 }

function pool(weights: number[], initials: number[] = weights.map(() => 0.5)) {
  return {
    size: weights.length,
    weight: (slot: number) => weights[slot]!,
    initialWeight: (slot: number) => initials[slot]!,
  }
}

/** What a pool that is looked at every 100 ms, with a hold of 1,000 ms, tells at which time. */
class Watch {
  readonly #pressure = new PoolPressure(1_000)
  readonly events: [number, PressureEvent['kind']][] = []
  nowMs = 0
  last: PressureEvent | undefined

  run(durationMs: number, weights: number[], process = calm, initials?: number[]): this {
    for (const endMs = this.nowMs + durationMs; this.nowMs < endMs; this.nowMs += 100) {
      const event = this.#pressure.observe(pool(weights, initials), process, this.nowMs)
      if (event === undefined) continue
      this.last = event
      this.events.push([this.nowMs, event.kind])
    }
    return this
  }
}

describe('overload', () => {
  test('is told once when every weight was below its initial weight for the hold time', () => {
    const watch = new Watch().run(1_900, [0.4, 0.3, 0.49])
    expect(watch.events).toEqual([[1_000, 'overload']])
    expect(watch.last!.cause).toBe('weights')
  })

  test('is told again after each further hold time', () => {
    expect(new Watch().run(3_500, [0.4, 0.3]).events.map(([atMs]) => atMs)).toEqual([1_000, 2_000, 3_000])
  })

  test('is not told while one weight is at its initial weight', () => {
    expect(new Watch().run(5_000, [0.4, 0.5]).events).toEqual([])
  })

  test('starts anew when the condition was interrupted', () => {
    const watch = new Watch().run(900, [0.4]).run(100, [0.8]).run(900, [0.4])
    expect(watch.events).toEqual([])
  })

  test('is not interrupted by a weight that hardly passes the line', () => {
    const watch = new Watch().run(500, [0.4]).run(200, [0.52]).run(400, [0.4])
    expect(watch.events).toEqual([[1_000, 'overload']])
  })

  test('workers without an initial weight take no part', () => {
    expect(new Watch().run(1_500, [0.4, 5, 0.3], calm, [0.5, 0, 0.5]).events).toHaveLength(1)
    expect(new Watch().run(1_500, [0, 0], calm, [0, 0]).events).toEqual([])
    expect(new Watch().run(1_500, []).events).toEqual([])
  })

  test('full memory is an overload with its own cause', () => {
    const watch = new Watch().run(1_500, [0.9, 0.9], full)
    expect(watch.events).toEqual([[1_000, 'overload']])
    expect(watch.last!.cause).toBe('memory')
  })
})

describe('underload', () => {
  test('is told once per hold time when every weight is well above its initial weight', () => {
    expect(new Watch().run(2_500, [0.8, 1]).events).toEqual([
      [1_000, 'underload'],
      [2_000, 'underload'],
    ])
  })

  test('is not told while one weight is only a little above', () => {
    expect(new Watch().run(3_000, [1, 0.6]).events).toEqual([])
  })

  test('is not told while the CPUs are busy', () => {
    expect(new Watch().run(3_000, [1, 1], busy).events).toEqual([])
  })
})

test('one look after a long pause proves nothing about the pause', () => {
  const pressure = new PoolPressure(1_000)
  expect(pressure.observe(pool([0.4]), calm, 0)).toBeUndefined()
  expect(pressure.observe(pool([0.4]), calm, 60_000)).toBeUndefined()
  expect(pressure.observe(pool([0.4]), calm, 120_000)?.kind).toBe('overload')
})

test('a pool that goes from one side to the other waits a whole hold time', () => {
  const watch = new Watch().run(1_000, [0.4]).run(1_000, [1]).run(500, [1])
  expect(watch.events).toEqual([[2_000, 'underload']])
})
