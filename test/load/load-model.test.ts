import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OptionRangeError } from '../../src/base/errors.js'
import { LoadModel } from '../../src/load/load-model.js'
import { newWorkerReading, type WorkerReading } from '../../src/load/worker-reading.js'

const reading = (changes: Partial<WorkerReading> = {}): WorkerReading => ({ ...newWorkerReading(), ...changes })

describe('by default', () => {
  test('an idle worker has load 0', () => {
    expect(new LoadModel().load(0, reading())).toBe(0)
  })

  test('the load is the fuller of queue depth and lag', () => {
    const model = new LoadModel()
    expect(model.load(0, reading({ cpuOutstanding: 1, cpuRoom: 3 }))).toBe(25)
    expect(model.load(0, reading({ cpuOutstanding: 1, cpuRoom: 3, reportedLagMs: 40 }))).toBe(40)
    expect(model.load(0, reading({ cpuOutstanding: 50, reportedLagMs: 400 }))).toBe(100)
  })

  test('a stalled worker rises to 100 although it reports nothing', () => {
    const model = new LoadModel()
    const loads = [0, 20, 40, 70, 120, 5_000].map((stampAgeMs) => model.load(0, reading({ stampAgeMs })))
    expect(loads).toEqual([0, 0, 20, 50, 100, 100])
  })

  test('utilisation, memory and response do not count', () => {
    const busy = { utilisation: 1, heapUsedBytes: 99, heapLimitBytes: 100, responseMs: 1e6 }
    expect(new LoadModel().load(0, reading(busy))).toBe(0)
  })

  test('the load of any sensible reading is within 0..100 and does not fall with another task', () => {
    const count = fc.nat(600)
    const ms = fc.double({ min: 0, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(count, count, ms, ms, (cpuOutstanding, cpuRoom, reportedLagMs, stampAgeMs) => {
        const model = new LoadModel()
        const scratch = reading({ cpuOutstanding, cpuRoom, reportedLagMs, stampAgeMs })
        const before = model.load(0, scratch)
        expect(before).toBeGreaterThanOrEqual(0)
        expect(before).toBeLessThanOrEqual(100)
        scratch.cpuOutstanding++
        expect(model.load(0, scratch)).toBeGreaterThanOrEqual(before)
      }),
      { seed: 25 },
    )
  })
})

describe('with coefficients', () => {
  const half = reading({
    utilisation: 0.5,
    heapUsedBytes: 50,
    heapLimitBytes: 100,
    ioOutstanding: 32,
    ioWindow: 64,
    cpuOutstanding: 2,
    cpuRoom: 3,
    responseMs: 500,
  })
  const web = { cpu: 0.1, memory: 0.4, io: 0.1, process: 0.1, response: 0.3 }

  test('the web weighting of five factors of a half gives 50', () => {
    expect(new LoadModel({ coefficients: web }).load(0, half)).toBeCloseTo(50, 9)
  })

  test('they can be changed while running, and taken back', () => {
    const model = new LoadModel()
    const scratch = reading({ utilisation: 0.2, cpuOutstanding: 2, cpuRoom: 3 })
    expect(model.load(0, scratch)).toBe(50)
    model.setCoefficients({ cpu: 1 })
    expect(model.load(0, scratch)).toBeCloseTo(20, 9)
    expect(() => model.setCoefficients({ cpu: 0.9 })).toThrow(OptionRangeError)
    expect(model.load(0, scratch)).toBeCloseTo(20, 9)
    model.setCoefficients(undefined)
    expect(model.load(0, scratch)).toBe(50)
  })

  test('no weighting hides a stalled worker', () => {
    const model = new LoadModel({ coefficients: web })
    expect(model.load(0, { ...half, stampAgeMs: 120 })).toBe(100)
  })

  test('a heap at its ceiling makes the load 100', () => {
    const model = new LoadModel({ coefficients: { memory: 0.1, process: 0.9 }, ceilings: { memory: 0.8 } })
    expect(model.load(0, reading({ heapUsedBytes: 79, heapLimitBytes: 100 }))).toBeCloseTo(7.9, 9)
    expect(model.load(0, reading({ heapUsedBytes: 80, heapLimitBytes: 100 }))).toBe(100)
  })
})

describe('with smoothing', () => {
  test('a square wave moves the load in steps of at most a fifth', () => {
    const model = new LoadModel({ smoothing: { windowSamples: 5 } })
    let before = model.load(0, reading())
    for (let sample = 1; sample < 60; sample++) {
      const isFull = Math.floor(sample / 10) % 2 === 1
      const after = model.load(0, reading({ cpuOutstanding: isFull ? 9 : 0, readAtMs: sample * 20 }))
      expect(Math.abs(after - before)).toBeLessThanOrEqual(20 + 1e-9)
      before = after
    }
  })

  test('asking more often does not add samples', () => {
    const model = new LoadModel({ smoothing: { ewmaAlpha: 0.5 } })
    model.load(0, reading())
    const full = reading({ cpuOutstanding: 9, readAtMs: 20 })
    expect(model.load(0, full)).toBe(50)
    for (let ask = 0; ask < 100; ask++) expect(model.load(0, { ...full, readAtMs: 20 + ask / 10 })).toBe(50)
    expect(model.load(0, { ...full, readAtMs: 40 })).toBe(75)
  })

  test('silence counts at once', () => {
    const model = new LoadModel({ smoothing: { windowSamples: 5 } })
    model.load(0, reading())
    expect(model.load(0, reading({ readAtMs: 5, stampAgeMs: 70 }))).toBe(50)
    expect(model.load(0, reading({ readAtMs: 10, stampAgeMs: 500 }))).toBe(100)
    expect(model.load(0, reading({ readAtMs: 11 }))).toBe(0)
  })

  test('samples older than the span say nothing', () => {
    const model = new LoadModel({ smoothing: { windowSamples: 5 } })
    model.load(0, reading({ cpuOutstanding: 9 }))
    expect(model.load(0, reading({ readAtMs: 20 }))).toBe(80)
    expect(model.load(0, reading({ readAtMs: 10_000 }))).toBe(0)
  })

  test('a reset slot starts anew, its neighbours do not', () => {
    const model = new LoadModel({ smoothing: { ewmaAlpha: 0.5 } })
    for (const slot of [0, 1]) model.load(slot, reading({ cpuOutstanding: 9 }))
    model.reset(0)
    expect(model.load(0, reading({ readAtMs: 20 }))).toBe(0)
    expect(model.load(1, reading({ readAtMs: 20 }))).toBe(50)
  })
})

test('a load has moved when it passed the change threshold, and after a reset', () => {
  const model = new LoadModel({ changeThreshold: 5 })
  expect([50, 54, 55, 56, 52, 50].map((load) => model.hasMoved(0, load))).toEqual([
    true,
    false,
    false,
    true,
    false,
    true,
  ])
  model.reset(0)
  expect(model.hasMoved(0, 50)).toBe(true)
})

describe('the change threshold', () => {
  test('movements up to the threshold do not count, larger ones do', () => {
    const changes = new LoadModel({ changeThreshold: 2 }, 2)
    expect(changes.hasMoved(0, 50)).toBe(true)
    expect(changes.hasMoved(0, 52)).toBe(false)
    expect(changes.hasMoved(0, 48)).toBe(false)
    expect(changes.hasMoved(0, 52.1)).toBe(true)
    expect(changes.hasMoved(0, 50.5)).toBe(false)
  })

  test('a slow drift counts once it adds up', () => {
    const changes = new LoadModel({ changeThreshold: 2 }, 1)
    let moves = 0
    for (let value = 0; value <= 100; value++) if (changes.hasMoved(0, value)) moves++
    // The first value, and then every third point.
    expect(moves).toBe(34)
  })

  test('slots are apart, and a reset slot counts its next value', () => {
    const changes = new LoadModel({ changeThreshold: 0 }, 2)
    expect(changes.hasMoved(0, 5)).toBe(true)
    expect(changes.hasMoved(1, 5)).toBe(true)
    expect(changes.hasMoved(0, 5)).toBe(false)
    changes.reset(0)
    expect(changes.hasMoved(0, 5)).toBe(true)
    expect(changes.hasMoved(1, 5)).toBe(false)
  })
})
