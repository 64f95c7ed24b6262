import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lagFactor } from '../../src/load/lag-factor.js'
import { newWorkerReading } from '../../src/load/worker-reading.js'
import '../support/seeded-properties.js'

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
