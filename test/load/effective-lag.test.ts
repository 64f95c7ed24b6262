import fc from 'fast-check'
import { expect, test } from 'vitest'
import { effectiveLagMs, silentMs } from '../../src/load/effective-lag.js'
import { newWorkerReading } from '../../src/load/worker-reading.js'

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
