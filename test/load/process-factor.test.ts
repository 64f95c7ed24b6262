import fc from 'fast-check'
import { expect, test } from 'vitest'
import { processFactor } from '../../src/load/process-factor.js'
import { newWorkerReading } from '../../src/load/worker-reading.js'
import '../support/seeded-properties.js'

test('process is the fuller of the CPU and the I/O depth', () => {
  const lane = { ...newWorkerReading(), cpuOutstanding: 1, cpuRoom: 3 }
  expect(processFactor(lane)).toBe(0.25)
  expect(processFactor({ ...lane, ioOutstanding: 32, ioWindow: 63 })).toBe(0.5)
  expect(processFactor({ ...lane, ioOutstanding: 3, ioWindow: 63 })).toBe(0.25)
})

test('a lane whose tasks are long counts as having room for two, so that one task does not fill it', () => {
  const shares = [0, 1, 2].map((cpuRoom) => processFactor({ ...newWorkerReading(), cpuOutstanding: 1, cpuRoom }))
  expect(shares).toEqual([1 / 3, 1 / 3, 1 / 3])
})

test('a lane that holds what it may hold keeps a little width, and one task more takes it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 600 }), (cpuRoom) => {
      expect(processFactor({ ...newWorkerReading(), cpuOutstanding: cpuRoom, cpuRoom })).toBeLessThan(1)
      expect(processFactor({ ...newWorkerReading(), cpuOutstanding: cpuRoom + 1, cpuRoom })).toBe(1)
    }),
  )
})

test('another task never lowers it, and more room never raises it', () => {
  const count = fc.nat(600)
  fc.assert(
    fc.property(count, count, count, count, count, (cpuOutstanding, cpuRoom, ioOutstanding, ioWindow, more) => {
      const lane = { ...newWorkerReading(), cpuOutstanding, cpuRoom, ioOutstanding, ioWindow }
      const depth = processFactor(lane)
      expect(processFactor({ ...lane, cpuOutstanding: cpuOutstanding + more })).toBeGreaterThanOrEqual(depth)
      expect(processFactor({ ...lane, ioOutstanding: ioOutstanding + more })).toBeGreaterThanOrEqual(depth)
      expect(processFactor({ ...lane, cpuRoom: cpuRoom + more })).toBeLessThanOrEqual(depth)
      expect(processFactor({ ...lane, ioWindow: ioWindow + more })).toBeLessThanOrEqual(depth)
    }),
  )
})
