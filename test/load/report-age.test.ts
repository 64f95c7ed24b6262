import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agedResponseMs, agedUtilisation } from '../../src/load/report-age.js'
import { newWorkerReading } from '../../src/load/worker-reading.js'
import '../support/seeded-properties.js'

const ms = fc.double({ min: 0, max: 1e6, noNaN: true })
const windowLengthMs = fc.oneof(fc.constant(0), fc.double({ min: 1, max: 1e6, noNaN: true }))
const share = fc.double({ min: 0, max: 1, noNaN: true })

describe('utilisation', () => {
  const measured = { ...newWorkerReading(), utilisation: 0.2, utilisationWindowMs: 200, periodMs: 20 }

  test('is as measured while the worker beats in time', () => {
    expect([0, 10, 20].map((stampAgeMs) => agedUtilisation({ ...measured, stampAgeMs }))).toEqual([0.2, 0.2, 0.2])
  })

  test('counts the silent part of the window as busy, and a window of silence as busy throughout', () => {
    expect(agedUtilisation({ ...measured, stampAgeMs: 120 })).toBeCloseTo(0.6, 12)
    expect(agedUtilisation({ ...measured, stampAgeMs: 219.999 })).toBeCloseTo(1, 5)
    expect(agedUtilisation({ ...measured, stampAgeMs: 220 })).toBe(1)
    expect(agedUtilisation({ ...measured, stampAgeMs: 1e9 })).toBe(1)
  })

  test('without a window is as measured until the worker is silent', () => {
    expect(agedUtilisation({ ...measured, utilisationWindowMs: 0 })).toBe(0.2)
    expect(agedUtilisation({ ...measured, utilisationWindowMs: 0, stampAgeMs: 21 })).toBe(1)
  })

  test('never falls while the report ages, and stays between what was measured and 1', () => {
    fc.assert(
      fc.property(share, windowLengthMs, ms, ms, (utilisation, utilisationWindowMs, stampAgeMs, moreMs) => {
        const reading = { ...newWorkerReading(), utilisation, utilisationWindowMs, stampAgeMs }
        const before = agedUtilisation(reading)
        const after = agedUtilisation({ ...reading, stampAgeMs: stampAgeMs + moreMs })
        expect(before).toBeGreaterThanOrEqual(utilisation - 1e-12)
        expect(after).toBeGreaterThanOrEqual(before - 1e-12)
        expect(after).toBeLessThanOrEqual(1)
      }),
    )
  })
})

test('the response time is the smoothed one until the worker has been silent for longer', () => {
  const answered = { ...newWorkerReading(), responseMs: 300, periodMs: 20 }
  const aged = [0, 20, 320, 321, 5_020].map((stampAgeMs) => agedResponseMs({ ...answered, stampAgeMs }))
  expect(aged).toEqual([300, 300, 300, 301, 5_000])
})
