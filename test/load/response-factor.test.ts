import { expect, test } from 'vitest'
import { responseFactor } from '../../src/load/response-factor.js'
import { newWorkerReading } from '../../src/load/worker-reading.js'

test('response is the smoothed response time by target, up to the target', () => {
  const factors = [0, 250, 1_000, 9_000].map((responseMs) =>
    responseFactor({ ...newWorkerReading(), responseMs }, 1_000),
  )
  expect(factors).toEqual([0, 0.25, 1, 1])
  expect(responseFactor({ ...newWorkerReading(), responseMs: 250 }, 500)).toBe(0.5)
})

test('a task that keeps its worker silent has taken at least that long', () => {
  const quick = { ...newWorkerReading(), responseMs: 250, periodMs: 20 }
  expect(responseFactor({ ...quick, stampAgeMs: 220 }, 1_000)).toBe(0.25)
  expect(responseFactor({ ...quick, stampAgeMs: 520 }, 1_000)).toBe(0.5)
  expect(responseFactor({ ...quick, stampAgeMs: 60_000 }, 1_000)).toBe(1)
})
