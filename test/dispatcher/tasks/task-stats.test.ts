import { describe, expect, test } from 'vitest'
import { TaskStats, UNKNOWN_RUN_MS } from '../../../src/dispatcher/tasks/task-stats.js'
import { statsOf } from '../../support/new-task.js'

describe('expected run time', () => {
  test('without history it is that of the unknown', () => {
    expect(new TaskStats('a')).toMatchObject({
      meanMs: UNKNOWN_RUN_MS,
      okMeanMs: 0,
      runs: 0,
      longestMs: 0,
      medianMs: 0,
    })
  })

  test('the first run replaces it, the first few are averaged', () => {
    const stats = new TaskStats('a')
    stats.record(200, true)
    expect(stats.meanMs).toBeCloseTo(0.2, 9)
    stats.record(400, true)
    stats.record(600, false)
    expect(stats.meanMs).toBeCloseTo(0.4, 9)
    expect(stats.runs).toBe(3)
  })

  test('one run of 1.5 s among short ones hardly moves it', () => {
    const stats = statsOf('a', 'cpu', 0.05, 1_000)
    stats.record(1_500_000, true)
    expect(stats.meanMs).toBeGreaterThan(0.05)
    expect(stats.meanMs).toBeLessThan(0.07)
  })

  test('a name that turns long is believed within some hundred runs', () => {
    const stats = statsOf('a', 'cpu', 0.01, 10_000)
    for (let run = 0; run < 512; run++) stats.record(3_000, true)
    expect(stats.meanMs).toBeGreaterThan(2)
  })

  test('runs that failed say nothing of how long a good one takes', () => {
    const stats = new TaskStats('a')
    for (let run = 0; run < 100; run++) stats.record(20_000, true)
    for (let run = 0; run < 100; run++) stats.record(10, false)
    expect(stats.okMeanMs).toBeCloseTo(20, 6)
  })
})

describe('the longest run', () => {
  test('is the longest of the first ones, whatever they were, and known after 20', () => {
    const stats = statsOf('a', 'cpu', 5, 18)
    stats.record(90_000_000, true)
    expect(stats.isKnown).toBe(false)
    stats.record(5_000, true)
    expect(stats.isKnown).toBe(true)
    expect(stats.longestMs).toBeGreaterThan(89_000)
  })

  test('keeps a mode of one run in a hundred, and forgets one that comes no more', () => {
    const stats = statsOf('a', 'cpu', 1_000, 20)
    let least = Number.POSITIVE_INFINITY
    for (let run = 0; run < 1_000; run++) {
      stats.record(run % 100 === 0 ? 1_000_000 : 1_000, true)
      least = Math.min(least, stats.longestMs)
    }
    expect(least).toBeGreaterThan(900)
    for (let run = 0; run < 10_000; run++) stats.record(1_000, true)
    expect(stats.longestMs).toBeLessThan(2)
  })

  test('learns little from a stall of a known name, and all from runs that go on like that', () => {
    const stats = statsOf('a', 'cpu', 1, 100)
    stats.record(60_000_000, true)
    expect(stats.longestMs).toBe(250)
    for (let run = 0; run < 4; run++) stats.record(60_000_000, true)
    expect(stats.longestMs).toBe(60_000)
  })
})

describe('percentiles', () => {
  test('the median is the middle run', () => {
    const stats = new TaskStats('a')
    for (const ms of [1, 1, 1, 50, 90]) stats.record(ms * 1000, true)
    expect(Math.abs(stats.medianMs - 1)).toBeLessThan(0.125)
  })
})
