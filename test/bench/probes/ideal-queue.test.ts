import { describe, expect, test } from 'vitest'
import { idealLatenciesMs, rollingStalls } from '../../../bench/probes/ideal-queue.js'
import { mean } from '../../../bench/stats/quantiles.js'
import { seededRandom } from '../../../src/base/random.js'

describe('ideal queue', () => {
  test('gives each task to the first worker that can take it', () => {
    const tasks = [0, 1, 2].map((atMs) => ({ atMs, runMs: 10 }))
    // The third waits for the first worker, until 10 ms.
    expect(idealLatenciesMs(tasks, [[], []])).toEqual([10, 10, 18])
  })

  test('waits for no stalled worker while another is free, and for the end of the stall when none is', () => {
    const stall = [{ atMs: 5, ms: 100 }]
    const task = { atMs: 10, runMs: 1 }
    expect(idealLatenciesMs([task], [stall, []])).toEqual([1])
    expect(idealLatenciesMs([task], [stall])).toEqual([96])
  })

  test('a stall that is due while a task runs comes after it', () => {
    const tasks = [
      { atMs: 0, runMs: 10 },
      { atMs: 1, runMs: 1 },
    ]
    expect(idealLatenciesMs(tasks, [[{ atMs: 5, ms: 100 }]])).toEqual([10, 110])
  })

  test('has the mean of the closed form for four workers at 70 %', () => {
    const random = seededRandom(4)
    let atMs = 0
    const exponential = (meanMs: number): number => -meanMs * Math.log(1 - random())
    const tasks = Array.from({ length: 400_000 }, () => {
      atMs += exponential(1 / 2.8)
      return { atMs, runMs: exponential(1) }
    })
    // M/M/4 at 0.7: 1.3572 service times (Erlang C).
    expect(Math.abs(mean(idealLatenciesMs(tasks, [[], [], [], []])) / 1.3572 - 1)).toBeLessThan(0.03)
  })
})

describe('rolling stalls', () => {
  test('come to each worker in turn, by the clock and not by the start', () => {
    const rule = { everyMs: 1_000, ms: 150, workers: 4 }
    const at = (startMs: number) => rollingStalls(rule, startMs, 8_000).map((stalls) => stalls.map(({ atMs }) => atMs))
    expect(at(8_000)).toEqual([
      [0, 4_000],
      [1_000, 5_000],
      [2_000, 6_000],
      [3_000, 7_000],
    ])
    expect(at(8_500)).toEqual([
      [3_500, 7_500],
      [500, 4_500],
      [1_500, 5_500],
      [2_500, 6_500],
    ])
  })
})
