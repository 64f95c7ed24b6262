import { describe, expect, test } from 'vitest'
import { InFlightLimit } from '../../../src/batch/flow/in-flight-limit.js'

describe('the limit of records in flight', () => {
  test('starts at the floor and grows fast while nothing waits for a worker', () => {
    const limit = new InFlightLimit({ floor: 4, ceiling: 100, workers: 2, queued: () => 0 })
    const seen = [limit.current]
    for (let tick = 0; tick < 4; tick++) {
      limit.tick(0, false)
      seen.push(limit.current)
    }
    expect(seen).toEqual([4, 16, 64, 100, 100])
  })

  test('follows the speed of the task once work waits, and remembers four ticks', () => {
    const limit = new InFlightLimit({ floor: 4, ceiling: 1000, workers: 2, queued: () => 3 })
    limit.tick(100, false)
    expect(limit.current).toBe(150)
    for (const total of [110, 120, 130]) limit.tick(total, false)
    expect(limit.current).toBe(150)
    limit.tick(140, false)
    expect(limit.current).toBe(15)
    for (let tick = 0; tick < 4; tick++) limit.tick(140, false)
    expect(limit.current).toBe(4)
  })

  test('never passes the ceiling', () => {
    const limit = new InFlightLimit({ floor: 4, ceiling: 64, workers: 2, queued: () => 1 })
    limit.tick(1_000_000, false)
    expect(limit.current).toBe(64)
  })

  test('finds out how many records are short enough to go together', () => {
    const limit = new InFlightLimit({ floor: 4, ceiling: 1000, workers: 2, queued: () => 1 })
    expect(limit.stretch).toBe(1)
    // 50 ms of two workers for 50 records: two milliseconds each.
    limit.tick(50, true)
    expect(limit.stretch).toBe(1)
    limit.tick(1050, true)
    expect(limit.stretch).toBe(10)
    limit.tick(1_000_000, true)
    expect(limit.stretch).toBe(1024)
    expect(limit.current).toBe(16_384)
    limit.tick(2_000_000, false)
    expect(limit.stretch).toBe(1)
    expect(limit.current).toBe(1000)
  })
})
