import { expect, test } from 'vitest'
import { memoryFactor } from '../../src/load/memory-factor.js'
import { newWorkerReading } from '../../src/load/worker-reading.js'

test('memory is the heap in use by its limit', () => {
  expect(memoryFactor({ ...newWorkerReading(), heapUsedBytes: 30, heapLimitBytes: 120 })).toBe(0.25)
  expect(memoryFactor({ ...newWorkerReading(), heapUsedBytes: 120, heapLimitBytes: 120 })).toBe(1)
})

test('a heap above its limit, as it is just before a crash, counts as full', () => {
  expect(memoryFactor({ ...newWorkerReading(), heapUsedBytes: 130, heapLimitBytes: 120 })).toBe(1)
})

test('memory counts as free before the limit is known', () => {
  expect(memoryFactor({ ...newWorkerReading(), heapUsedBytes: 30, heapLimitBytes: 0 })).toBe(0)
})
