import { describe, expect, test } from 'vitest'
import { poissonTimes, runOpenLoop } from '../../../bench/probes/open-loop.js'
import { seededRandom } from '../../../src/base/random.js'

function block(ms: number): void {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}

describe('open loop', () => {
  test('latency counts from the scheduled time although the generator was held up, and nothing is skipped', async () => {
    const schedule = Array.from({ length: 20 }, (_, at) => ({
      atMs: at * 5,
      // The first task holds the main thread up past the times of all others.
      send: async () => {
        if (at === 0) block(150)
        return at
      },
    }))
    const { latencyMs, values, settled, generatorLateShare } = await runOpenLoop(schedule, { waitMs: 1_000 })
    expect(settled).toBe(20)
    expect(values).toEqual(schedule.map((_, at) => at))
    // The task due at 5 ms could be sent at 150 ms at the earliest, the one due at 95 ms too.
    expect(latencyMs[1]).toBeGreaterThan(140)
    expect(latencyMs[19]).toBeGreaterThan(50)
    expect(latencyMs[1]).toBeGreaterThan(latencyMs[19]!)
    expect(generatorLateShare).toBeGreaterThan(0.9)
  })

  test('a rejected task and one that never settles have no latency and are told apart', async () => {
    const schedule = [
      { atMs: 0, send: () => Promise.reject(new Error('no')) },
      { atMs: 1, send: () => new Promise(() => {}) },
      { atMs: 2, send: () => Promise.resolve('yes') },
    ]
    const result = await runOpenLoop(schedule, { waitMs: 20 })
    expect(result).toMatchObject({ settled: 2, rejected: 1 })
    expect([...result.latencyMs].map(Number.isNaN)).toEqual([true, true, false])
  })

  test('tasks are not sent before their time', async () => {
    const sentMs: number[] = []
    let startMs = 0
    const schedule = [0, 12, 13, 30].map((atMs) => ({
      atMs,
      send: async () => {
        sentMs.push(Number(process.hrtime.bigint()) / 1e6 - startMs)
      },
    }))
    await runOpenLoop(schedule, {
      waitMs: 100,
      started: (ms) => {
        startMs = ms
      },
    })
    sentMs.forEach((ms, at) => {
      expect(ms).toBeGreaterThanOrEqual(schedule[at]!.atMs)
    })
  })

  test('arrivals of a Poisson process are ordered, repeatable, and as many as their rate says', () => {
    const times = poissonTimes(1_000, 20_000, seededRandom(3))
    expect(poissonTimes(1_000, 20_000, seededRandom(3))).toEqual(times)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    // 20,000 expected with a deviation of 141: five deviations.
    expect(Math.abs(times.length - 20_000)).toBeLessThan(5 * 141)
  })
})
