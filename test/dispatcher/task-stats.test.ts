import { describe, expect, test } from 'vitest'
import { TaskStats, UNKNOWN_RUN_MS } from '../../src/dispatcher/task-stats.js'
import { statsOf } from '../support/new-task.js'

describe('expected run time', () => {
  test('without history it is that of the unknown', () => {
    expect(new TaskStats('a')).toMatchObject({ meanMs: UNKNOWN_RUN_MS, okMeanMs: 0, runs: 0, p99Ms: 0, medianMs: 0 })
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

describe('percentiles', () => {
  test('the 99th needs 20 runs', () => {
    const stats = statsOf('a', 'cpu', 5, 19)
    expect(stats.p99Ms).toBe(0)
    stats.record(5_000, true)
    expect(Math.abs(stats.p99Ms / 5 - 1)).toBeLessThan(0.125)
  })

  test('it follows when the runs grew by a tenth', () => {
    const stats = statsOf('a', 'cpu', 1, 100)
    expect(Math.abs(stats.p99Ms - 1)).toBeLessThan(0.125)
    for (let run = 0; run < 30; run++) stats.record(100_000, true)
    expect(Math.abs(stats.p99Ms / 100 - 1)).toBeLessThan(0.125)
  })

  test('the median is the middle run', () => {
    const stats = new TaskStats('a')
    for (const ms of [1, 1, 1, 50, 90]) stats.record(ms * 1000, true)
    expect(Math.abs(stats.medianMs - 1)).toBeLessThan(0.125)
  })
})
