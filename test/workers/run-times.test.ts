import { expect, test } from 'vitest'
import { RunTimes } from '../../workers/run-times.js'

function known(): RunTimes {
  const times = new RunTimes()
  for (let run = 0; run < 64; run++) times.note(0.01, 0)
  return times
}

test('the first 64 runs may be long, however short they were', () => {
  const times = new RunTimes()
  for (let run = 0; run < 64; run++) {
    expect(times.mayBeLong(0)).toBe(true)
    times.note(0, 0)
  }
  expect(times.mayBeLong(0)).toBe(false)
})

test('a name whose recent runs were longer than 0.3 ms may be long, until many short ones followed', () => {
  const times = known()
  times.note(1, 0)
  expect(times.mayBeLong(0)).toBe(true)
  let runs = 0
  for (; times.mayBeLong(0); runs++) times.note(0.01, 0)
  expect(runs).toBeGreaterThan(100)
  expect(runs).toBeLessThan(200)
})

test('a run of more than 250 ms is remembered for two minutes, however many short ones follow', () => {
  const times = known()
  times.note(251, 1_000)
  for (let run = 0; run < 5_000; run++) times.note(0.01, 2_000)
  expect([times.mayBeLong(120_999), times.mayBeLong(121_000)]).toEqual([true, false])
})
