import fc from 'fast-check'
import '../support/seeded-properties.js'
import { describe, expect, test } from 'vitest'
import {
  CPU,
  cpuFactor,
  defaultLoad,
  effectiveLagMs,
  FACTOR_NAMES,
  IO,
  ioFactor,
  LAG,
  lagFactor,
  MEMORY,
  memoryFactor,
  PROCESS,
  processFactor,
  RESPONSE,
  responseFactor,
  silentMs,
  weightedLoad,
} from '../../src/load/factors.js'
import { newWorkerReading, type WorkerReading } from '../../src/load/worker-reading.js'

describe('the set of factors', () => {
  test('gives each factor the place of its name', () => {
    const byName = { cpu: CPU, memory: MEMORY, io: IO, process: PROCESS, response: RESPONSE, lag: LAG }
    expect(FACTOR_NAMES.map((name) => byName[name])).toEqual([0, 1, 2, 3, 4, 5])
    expect(Object.keys(byName)).toEqual([...FACTOR_NAMES])
  })

  test('has no factor outside 0..1, whatever the reading', () => {
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

describe('clamping to 0..1', () => {
  const clamped = (utilisation: number) => cpuFactor({ ...newWorkerReading(), utilisation, utilisationWindowMs: 0 })

  test('a share stays as it is', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (share) => {
        expect(clamped(share)).toBe(share)
      }),
    )
  })

  test.each([
    [-0.01, 0],
    [Number.NEGATIVE_INFINITY, 0],
    [Number.NaN, 0],
    [1 + Number.EPSILON, 1],
    [Number.POSITIVE_INFINITY, 1],
    [Number.MIN_VALUE, Number.MIN_VALUE],
  ])('%d is taken as %d', (value, share) => {
    expect(clamped(value)).toBe(share)
  })
})

describe('silence', () => {
  test('a worker within its beat period is not silent', () => {
    expect(silentMs({ ...newWorkerReading(), stampAgeMs: 20, periodMs: 20 })).toBe(0)
    expect(silentMs({ ...newWorkerReading(), stampAgeMs: 21, periodMs: 20 })).toBe(1)
  })

  test('the effective lag never falls while the last stamp ages', () => {
    const ms = fc.double({ min: 0, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(ms, ms, ms, (reportedLagMs, stampAgeMs, moreMs) => {
        const reading = { ...newWorkerReading(), reportedLagMs, stampAgeMs }
        const before = effectiveLagMs(reading)
        expect(before).toBe(Math.max(reportedLagMs, stampAgeMs - reading.periodMs))
        reading.stampAgeMs += moreMs
        expect(effectiveLagMs(reading)).toBeGreaterThanOrEqual(before)
      }),
      { seed: 22 },
    )
  })
})

describe('figures of an old report', () => {
  const ms = fc.double({ min: 0, max: 1e6, noNaN: true })
  const windowLengthMs = fc.oneof(fc.constant(0), fc.double({ min: 1, max: 1e6, noNaN: true }))
  const share = fc.double({ min: 0, max: 1, noNaN: true })

  describe('utilisation', () => {
    const measured = { ...newWorkerReading(), utilisation: 0.2, utilisationWindowMs: 200, periodMs: 20 }

    test('is as measured while the worker beats in time', () => {
      expect([0, 10, 20].map((stampAgeMs) => cpuFactor({ ...measured, stampAgeMs }))).toEqual([0.2, 0.2, 0.2])
    })

    test('counts the silent part of the window as busy, and a window of silence as busy throughout', () => {
      expect(cpuFactor({ ...measured, stampAgeMs: 120 })).toBeCloseTo(0.6, 12)
      expect(cpuFactor({ ...measured, stampAgeMs: 219.999 })).toBeCloseTo(1, 5)
      expect(cpuFactor({ ...measured, stampAgeMs: 220 })).toBe(1)
      expect(cpuFactor({ ...measured, stampAgeMs: 1e9 })).toBe(1)
    })

    test('without a window is as measured until the worker is silent', () => {
      expect(cpuFactor({ ...measured, utilisationWindowMs: 0 })).toBe(0.2)
      expect(cpuFactor({ ...measured, utilisationWindowMs: 0, stampAgeMs: 21 })).toBe(1)
    })

    test('never falls while the report ages, and stays between what was measured and 1', () => {
      fc.assert(
        fc.property(share, windowLengthMs, ms, ms, (utilisation, utilisationWindowMs, stampAgeMs, moreMs) => {
          const reading = { ...newWorkerReading(), utilisation, utilisationWindowMs, stampAgeMs }
          const before = cpuFactor(reading)
          const after = cpuFactor({ ...reading, stampAgeMs: stampAgeMs + moreMs })
          expect(before).toBeGreaterThanOrEqual(utilisation - 1e-12)
          expect(after).toBeGreaterThanOrEqual(before - 1e-12)
          expect(after).toBeLessThanOrEqual(1)
        }),
      )
    })
  })

  test('the response time is the smoothed one until the worker has been silent for longer', () => {
    const answered = { ...newWorkerReading(), responseMs: 300, periodMs: 20 }
    const aged = [0, 20, 320, 321, 5_020].map((stampAgeMs) => responseFactor({ ...answered, stampAgeMs }, 10_000))
    expect(aged).toEqual([0.03, 0.03, 0.03, 0.0301, 0.5])
  })
})

describe('cpu factor', () => {
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
})

describe('memory factor', () => {
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
})

describe('io factor', () => {
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
})

describe('process factor', () => {
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
})

describe('response factor', () => {
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
})

describe('lag factor', () => {
  test('lag is the reported lag or the silence, whichever is more', () => {
    const late = { ...newWorkerReading(), reportedLagMs: 30, periodMs: 20 }
    expect(lagFactor(late, 100)).toBe(0.3)
    expect(lagFactor({ ...late, stampAgeMs: 40 }, 100)).toBe(0.3)
    expect(lagFactor({ ...late, stampAgeMs: 70 }, 100)).toBe(0.5)
  })

  test('a worker that beats in time has no lag, and one that is silent for the full lag is saturated', () => {
    expect(lagFactor({ ...newWorkerReading(), stampAgeMs: 19, periodMs: 20 }, 100)).toBe(0)
    expect(lagFactor({ ...newWorkerReading(), stampAgeMs: 119, periodMs: 20 }, 100)).toBeLessThan(1)
    expect(lagFactor({ ...newWorkerReading(), stampAgeMs: 121, periodMs: 20 }, 100)).toBe(1)
  })

  test('the more lag a worker may have, the less the same lag counts', () => {
    const ms = fc.double({ min: 1, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(ms, ms, ms, (reportedLagMs, fullLagMs, moreMs) => {
        const late = { ...newWorkerReading(), reportedLagMs }
        expect(lagFactor(late, fullLagMs + moreMs)).toBeLessThanOrEqual(lagFactor(late, fullLagMs))
      }),
    )
  })
})

describe('the load of given factors', () => {
  const web = [0.1, 0.4, 0.1, 0.1, 0.3, 0]
  const ceilings = [1, 0.9, 1, 1, 1, 1]
  const all = (factor: number) => [factor, factor, factor, factor, factor, 0]

  test.each([
    [0.5, 50],
    [0.375, 37.5],
    [0.8, 80],
    [0, 0],
  ])('the web weighting of five factors of %d gives a load of %d', (factor, load) => {
    expect(weightedLoad(all(factor), web, ceilings)).toBeCloseTo(load, 9)
  })

  test('a factor at its ceiling makes the load 100, however small its coefficient', () => {
    expect(weightedLoad([0, 0, 1, 0, 0, 0], web, ceilings)).toBe(100)
    expect(weightedLoad([0, 0.9, 0, 0, 0, 0], web, ceilings)).toBe(100)
    expect(weightedLoad([0, 0.89, 0, 0, 0, 0], web, ceilings)).toBeCloseTo(35.6, 9)
    expect(weightedLoad([1, 0, 0, 0, 0, 0], web, [Number.POSITIVE_INFINITY, 0.9, 1, 1, 1, 1])).toBeCloseTo(10, 9)
  })

  test('a factor without a coefficient is left out, but for lag', () => {
    const onlyProcess = [0, 0, 0, 1, 0, 0]
    expect(weightedLoad([1, 1, 1, 0.2, 1, 0.99], onlyProcess, ceilings)).toBeCloseTo(20, 9)
    expect(weightedLoad([0, 0, 0, 0.2, 0, 1], onlyProcess, ceilings)).toBe(100)
  })

  test('the default load is the fuller of depth and lag', () => {
    expect(defaultLoad(0.25, 0.5)).toBe(50)
    expect(defaultLoad(0.75, 0.5)).toBe(75)
    expect(defaultLoad(1, 1)).toBe(100)
  })

  test('a weighted load is within 0..100 and grows with every factor', () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true })
    const factors = fc.array(unit, { minLength: 6, maxLength: 6 })
    fc.assert(
      fc.property(factors, factors, fc.nat(5), unit, (coefficients, values, index, more) => {
        const sum = coefficients.reduce((total, value) => total + value, 0)
        fc.pre(sum > 0)
        const normal = coefficients.map((value) => value / sum)
        const before = weightedLoad(values, normal, ceilings)
        values[index] = Math.min(1, values[index]! + more)
        const after = weightedLoad(values, normal, ceilings)
        expect(before).toBeGreaterThanOrEqual(0)
        expect(after).toBeLessThanOrEqual(100)
        expect(after).toBeGreaterThanOrEqual(before - 1e-9)
      }),
      { seed: 23 },
    )
  })
})
