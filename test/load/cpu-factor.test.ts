import { expect, test } from 'vitest'
import { cpuFactor } from '../../src/load/cpu-factor.js'
import { newWorkerReading } from '../../src/load/worker-reading.js'

test('cpu is the utilisation of the loop, clipped', () => {
  expect(cpuFactor({ ...newWorkerReading(), utilisation: 0.4 })).toBe(0.4)
  expect(cpuFactor({ ...newWorkerReading(), utilisation: -0.01 })).toBe(0)
  expect(cpuFactor({ ...newWorkerReading(), utilisation: 1.2 })).toBe(1)
})

test('a worker that has measured nothing yet counts as idle', () => {
  expect(cpuFactor({ ...newWorkerReading(), utilisation: Number.NaN })).toBe(0)
})

test('cpu counts the silence of a busy worker as busy', () => {
  const half = { ...newWorkerReading(), utilisation: 0.5, utilisationWindowMs: 200, periodMs: 20 }
  const factors = [20, 120, 220, 5_000].map((stampAgeMs) => cpuFactor({ ...half, stampAgeMs }))
  expect(factors).toEqual([0.5, 0.75, 1, 1])
})
