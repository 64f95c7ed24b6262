import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuFactor } from '../../src/load/cpu-factor.js'
import { ioFactor } from '../../src/load/io-factor.js'
import { lagFactor } from '../../src/load/lag-factor.js'
import { memoryFactor } from '../../src/load/memory-factor.js'
import { processFactor } from '../../src/load/process-factor.js'
import { responseFactor } from '../../src/load/response-factor.js'
import { newWorkerReading, type WorkerReading } from '../../src/load/worker-reading.js'

const reading = (changes: Partial<WorkerReading>): WorkerReading => ({ ...newWorkerReading(), ...changes })

describe('factors', () => {
  test('cpu is the utilisation, clipped', () => {
    expect(cpuFactor(reading({ utilisation: 0.4 }))).toBe(0.4)
    expect(cpuFactor(reading({ utilisation: -0.01 }))).toBe(0)
    expect(cpuFactor(reading({ utilisation: 1.2 }))).toBe(1)
    expect(cpuFactor(reading({ utilisation: Number.NaN }))).toBe(0)
  })

  test('cpu counts the silence of a busy worker as busy', () => {
    const half = { utilisation: 0.5, utilisationWindowMs: 200 }
    expect(cpuFactor(reading({ ...half, stampAgeMs: 20 }))).toBe(0.5)
    expect(cpuFactor(reading({ ...half, stampAgeMs: 120 }))).toBe(0.75)
    expect(cpuFactor(reading({ ...half, stampAgeMs: 220 }))).toBe(1)
    expect(cpuFactor(reading({ ...half, stampAgeMs: 5_000 }))).toBe(1)
  })

  test('memory is heap used by limit, and 0 before the limit is known', () => {
    expect(memoryFactor(reading({ heapUsedBytes: 30, heapLimitBytes: 120 }))).toBe(0.25)
    expect(memoryFactor(reading({ heapUsedBytes: 30 }))).toBe(0)
  })

  test('io is I/O tasks in flight by window', () => {
    expect(ioFactor(reading({ ioOutstanding: 16, ioWindow: 64 }))).toBe(0.25)
    expect(ioFactor(reading({ ioOutstanding: 65, ioWindow: 64 }))).toBe(1)
  })

  test('process is the fuller of the CPU and the I/O depth', () => {
    expect(processFactor(reading({ cpuOutstanding: 1, cpuRoom: 3 }))).toBe(0.25)
    expect(processFactor(reading({ cpuOutstanding: 1, cpuRoom: 3, ioOutstanding: 32, ioWindow: 63 }))).toBe(0.5)
    expect(processFactor(reading({ cpuOutstanding: 1, cpuRoom: 0 }))).toBeCloseTo(1 / 3)
    expect(processFactor(reading({ cpuOutstanding: 9, cpuRoom: 2 }))).toBe(1)
  })

  test('response is the smoothed response by target, at least as long as the silence', () => {
    expect(responseFactor(reading({ responseMs: 250 }), 1_000)).toBe(0.25)
    expect(responseFactor(reading({ responseMs: 250, stampAgeMs: 520 }), 1_000)).toBe(0.5)
  })

  test('lag is the reported lag or the silence, whichever is more', () => {
    expect(lagFactor(reading({ reportedLagMs: 30 }), 100)).toBe(0.3)
    expect(lagFactor(reading({ reportedLagMs: 30, stampAgeMs: 70 }), 100)).toBe(0.5)
    expect(lagFactor(reading({ reportedLagMs: 30, stampAgeMs: 40 }), 100)).toBe(0.3)
    expect(lagFactor(reading({ stampAgeMs: 19 }), 100)).toBe(0)
    expect(lagFactor(reading({ stampAgeMs: 121 }), 100)).toBe(1)
  })

  test('every factor of any reading is within 0..1', () => {
    const number = fc.double({ min: -1e9, max: 1e12 })
    const record = Object.fromEntries(Object.keys(newWorkerReading()).map((key) => [key, number]))
    fc.assert(
      fc.property(fc.record(record), (numbers) => {
        const any = numbers as unknown as WorkerReading
        const factors = [cpuFactor(any), memoryFactor(any), ioFactor(any), processFactor(any)]
        for (const factor of [...factors, responseFactor(any, 1_000), lagFactor(any, 100)]) {
          expect(factor).toBeGreaterThanOrEqual(0)
          expect(factor).toBeLessThanOrEqual(1)
        }
      }),
      { seed: 21 },
    )
  })
})
