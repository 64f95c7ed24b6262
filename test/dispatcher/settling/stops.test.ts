import { expect, test } from 'vitest'
import { Stops } from '../../../src/dispatcher/settling/stops.js'

test('of each stop counts what came after the time asked for', () => {
  const stops = new Stops()
  stops.note(5_000, 3_000)
  stops.note(9_000, 0)
  stops.note(10_000, 1_000)
  expect([0, 1_000, 2_000, 3_000, 5_000, 9_500, 10_000].map((fromMs) => stops.since(fromMs))).toEqual([
    4_000, 4_000, 4_000, 3_000, 1_000, 500, 0,
  ])
})

test('the last stops are kept, however many there were', () => {
  const stops = new Stops()
  for (let second = 1; second <= 1_000; second++) stops.note(second * 1_000, 500)
  expect(stops.since(998_000)).toBe(1_000)
  expect(stops.since(0)).toBeLessThan(100_000)
})
