import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AnsweredRequest, latencyFigures, withOmitted } from '../../../bench/server/answered-request.js'

const request = (latencyMs: number, sentMs = 0): AnsweredRequest => ({ kind: 'cpu', sentMs, latencyMs })

describe('requests that a waiting connection could not send', () => {
  test('are added at the times when they were due, each with what was left of the wait', () => {
    expect(withOmitted([request(350, 1_000)], 100)).toEqual([
      request(350, 1_000),
      request(250, 1_100),
      request(150, 1_200),
    ])
  })

  test('are none when every answer comes within the interval', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 99, noNaN: true })), (latencies) => {
        const requests = latencies.map((latencyMs) => request(latencyMs))
        expect(withOmitted(requests, 100)).toEqual(requests)
      }),
    )
  })

  test('of one wait all end at the moment of its answer', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 2_000, noNaN: true }), fc.integer({ min: 1, max: 500 }), (ms, interval) => {
        const all = withOmitted([request(ms)], interval)
        expect(all).toHaveLength(Math.max(1, Math.floor(ms / interval)))
        for (const { sentMs, latencyMs } of all) {
          expect(sentMs + latencyMs).toBeCloseTo(ms, 6)
          expect(latencyMs).toBeGreaterThanOrEqual(Math.min(ms, interval) - 1e-6)
        }
      }),
    )
  })
})

describe('figures of the load generator', () => {
  test('give the tail of all requests, of each kind, and of those sent within the window', () => {
    const requests: AnsweredRequest[] = [
      { kind: 'cpu', sentMs: 0, latencyMs: 1 },
      { kind: 'io', sentMs: 10, latencyMs: 20 },
      { kind: 'cpu', sentMs: 99, latencyMs: 5 },
      { kind: 'cpu', sentMs: 100, latencyMs: 7 },
    ]
    const { p50Ms, maxMs, cpuP99Ms, ioP99Ms, middleP99Ms } = latencyFigures(requests, [99, 100])
    expect({ p50Ms, maxMs, ioP99Ms, middleP99Ms }).toEqual({ p50Ms: 6, maxMs: 20, ioP99Ms: 20, middleP99Ms: 5 })
    expect(cpuP99Ms).toBeCloseTo(6.96)
  })
})
