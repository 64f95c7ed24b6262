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
  readonly crossings: [number, PressureEvent['kind']][] = []
  nowMs = 0
  last: PressureEvent | undefined

  run(durationMs: number, weights: number[], process = calm, initials?: number[]): this {
    for (const endMs = this.nowMs + durationMs; this.nowMs < endMs; this.nowMs += 100) {
      const event = this.#pressure.observe(pool(weights, initials), process, this.nowMs)
      if (event === undefined) continue
      this.last = event
      this.events.push([this.nowMs, event.kind])
      if (event.isCrossing) this.crossings.push([this.nowMs, event.kind])
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

describe('the crossing', () => {
  test('is one, however long the condition holds', () => {
    expect(new Watch().run(40_000, [0.8, 1]).crossings).toEqual([[1_000, 'underload']])
    expect(new Watch().run(40_000, [0.4, 0.3]).crossings).toEqual([[1_000, 'overload']])
  })

  test('is one under a load that flickers about the line', () => {
    const watch = new Watch()
    for (let round = 0; round < 20; round++) watch.run(1_700, [1, 1]).run(300, [1, 0.6])
    expect(watch.crossings).toEqual([[1_000, 'underload']])
    const busy = new Watch()
    for (let round = 0; round < 20; round++) busy.run(1_700, [0.4, 0.4]).run(300, [1, 0.6])
    expect(busy.crossings).toEqual([[1_000, 'overload']])
  })

  test('comes again after the pool was free of the condition for the hold time, or under the opposite', () => {
    const watch = new Watch().run(1_100, [1]).run(1_200, [0.6]).run(1_100, [1])
    expect(watch.crossings.map(([, kind]) => kind)).toEqual(['underload', 'underload'])
    const swing = new Watch().run(1_100, [1]).run(1_100, [0.4]).run(1_100, [1])
    expect(swing.crossings.map(([, kind]) => kind)).toEqual(['underload', 'overload', 'underload'])
  })

  test('of an overload is over when memory is short instead of weights, not told twice', () => {
    const watch = new Watch().run(2_100, [0.4]).run(3_000, [0.4], full)
    expect(watch.crossings.map(([, kind]) => kind)).toEqual(['overload'])
    expect(watch.last!.cause).toBe('memory')
  })

  test('is not told again where looks are rare: a pool that nobody looks at is idle, which ends only an overload', () => {
    const crossings = (weights: number[], between: number[]) => {
      const pressure = new PoolPressure(1_000)
      const seen: string[] = []
      for (let look = 0; look < 60; look++) {
        const rest = look % 20 < 10 ? weights : between
        const event = pressure.observe(pool(rest), calm, look * 2_000)
        if (event?.isCrossing) seen.push(event.kind)
      }
      return seen
    }
    expect(crossings([1], [0.6])).toEqual(['underload'])
    expect(crossings([0.4], [0.6])).toEqual(['overload', 'overload', 'overload'])
  })

  test('with no hold time is told once all the same', () => {
    const pressure = new PoolPressure(0)
    const crossings = Array.from({ length: 50 }, (_, at) => pressure.observe(pool([1]), calm, at * 100)?.isCrossing)
    expect(crossings.filter((isCrossing) => isCrossing === true)).toHaveLength(1)
  })
})
