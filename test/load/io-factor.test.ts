import { expect, test } from 'vitest'
import { ioFactor } from '../../src/load/io-factor.js'
import { newWorkerReading } from '../../src/load/worker-reading.js'

test('io is I/O tasks in flight by window, up to a full window', () => {
  const factors = [0, 16, 64, 65].map((ioOutstanding) =>
    ioFactor({ ...newWorkerReading(), ioOutstanding, ioWindow: 64 }),
  )
  expect(factors).toEqual([0, 0.25, 1, 1])
})

test('a worker that may hold no I/O task has none to count', () => {
  expect(ioFactor({ ...newWorkerReading(), ioOutstanding: 3, ioWindow: 0 })).toBe(0)
})

test('CPU tasks do not move it', () => {
  expect(ioFactor({ ...newWorkerReading(), cpuOutstanding: 9, ioOutstanding: 32, ioWindow: 64 })).toBe(0.5)
})
