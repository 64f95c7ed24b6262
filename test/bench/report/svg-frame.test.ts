import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { escapeText, logLimits, logTicks, plotFrame, strokeOf } from '../../../bench/report/svg-frame.js'

const positive = fc.double({ min: 1e-3, max: 1e6, noNaN: true })

describe('logarithmic axis', () => {
  test('holds every value, and is no longer than a decade beyond them', () => {
    fc.assert(
      fc.property(fc.array(positive, { minLength: 1, maxLength: 20 }), (values) => {
        const { min, max } = logLimits(values)
        expect(min).toBeLessThanOrEqual(Math.min(...values) * 1.001)
        expect(max).toBeGreaterThanOrEqual(Math.max(...values) * 0.999)
        expect(min).toBeGreaterThan(Math.min(...values) / 10)
        expect(max).toBeLessThanOrEqual(Math.max(...values) * 10.001)
        expect(max).toBeGreaterThan(min)
      }),
    )
  })

  test('has some ticks, all within it, in order and differently named', () => {
    fc.assert(
      fc.property(fc.array(positive, { minLength: 1, maxLength: 20 }), (values) => {
        const { min, max } = logLimits(values)
        const ticks = logTicks(min, max, '')
        expect(ticks.length).toBeGreaterThanOrEqual(2)
        expect(ticks.length).toBeLessThan(30)
        for (const [value] of ticks) {
          expect(value).toBeGreaterThanOrEqual(min * 0.99)
          expect(value).toBeLessThanOrEqual(max * 1.01)
        }
        expect(ticks.map(([value]) => value)).toEqual(ticks.map(([value]) => value).sort((a, b) => a - b))
        expect(new Set(ticks.map(([, text]) => text)).size).toBe(ticks.length)
      }),
    )
  })

  test('of no values is still an axis', () => {
    expect(logLimits([Number.NaN, 0, Number.POSITIVE_INFINITY])).toEqual({ min: 1, max: 10 })
  })
})

describe('frame of a plot', () => {
  const axis = { label: 'x', min: 1, max: 100, log: true, ticks: [] }

  test('puts the middle of a logarithmic axis where its middle is, and what lies outside on the edge', () => {
    const { x } = plotFrame(axis, axis, [])
    expect(x(10)).toBeCloseTo((x(1) + x(100)) / 2)
    expect(x(1_000)).toBe(x(100))
    expect(x(0.01)).toBe(x(1))
  })

  test('grows with its legend, and no two of thirty lines look alike', () => {
    const names = Array.from({ length: 30 }, (_, at) => `system ${at}`)
    expect(plotFrame(axis, axis, names).height).toBeGreaterThan(plotFrame(axis, axis, []).height)
    expect(new Set(names.map((_, at) => strokeOf(at))).size).toBe(30)
  })

  test('escapes what a text may not hold', () => {
    expect(escapeText('<a & "b">')).toBe('&lt;a &amp; &quot;b&quot;&gt;')
  })
})
