import { describe, expect, test } from 'vitest'
import { OptionRangeError, OptionTypeError } from '../../src/base/errors.js'
import { LOAD_DEFAULTS, type LoadOptions, resolveLoadOptions } from '../../src/load/load-options.js'

describe('load options', () => {
  test('have defaults that are used where nothing, or undefined, is given', () => {
    expect(resolveLoadOptions()).toEqual(resolveLoadOptions({ holdMs: undefined, ceilings: undefined }))
    expect(resolveLoadOptions().fullLagMs).toBe(LOAD_DEFAULTS.fullLagMs)
    expect(resolveLoadOptions().coefficients).toBeUndefined()
    expect(Object.isFrozen(LOAD_DEFAULTS)).toBe(true)
  })

  test('coefficients that sum to 1 are taken, whatever rounding does to the sum', () => {
    const coefficients = { cpu: 0.1, memory: 0.4, io: 0.1, process: 0.1, response: 0.3 }
    expect(resolveLoadOptions({ coefficients }).coefficients).toEqual([0.1, 0.4, 0.1, 0.1, 0.3, 0])
    expect(resolveLoadOptions({ coefficients: { lag: 1 } }).coefficients).toEqual([0, 0, 0, 0, 0, 1])
  })

  test('coefficients that sum to 0.9 are refused with the sum', () => {
    const coefficients = { cpu: 0.1, memory: 0.4, io: 0.1, process: 0.1, response: 0.2 }
    expect(() => resolveLoadOptions({ coefficients })).toThrow(OptionRangeError)
    expect(() => resolveLoadOptions({ coefficients })).toThrow('load.coefficients: must sum to 1, but sum to 0.9')
  })

  test('a ceiling left out keeps its default, and Infinity switches one off', () => {
    const { ceilings } = resolveLoadOptions({
      coefficients: { cpu: 1 },
      ceilings: { cpu: Number.POSITIVE_INFINITY, io: 0.5 },
    })
    expect(ceilings).toEqual([Number.POSITIVE_INFINITY, 0.9, 0.5, 1, 1, 1])
  })

  test.each<[string, unknown, typeof OptionTypeError | typeof OptionRangeError]>([
    ['an unknown key', { lagMs: 5 }, OptionTypeError],
    ['null', null, OptionTypeError],
    ['an array', [], OptionTypeError],
    ['an unknown factor', { coefficients: { cpu: 0.5, disk: 0.5 } }, OptionTypeError],
    ['coefficients of null', { coefficients: null }, OptionTypeError],
    ['a NaN coefficient', { coefficients: { cpu: Number.NaN, io: 1 } }, OptionRangeError],
    ['a negative coefficient', { coefficients: { cpu: -0.5, io: 1, lag: 0.5 } }, OptionRangeError],
    ['a text as coefficient', { coefficients: { cpu: '1' } }, OptionTypeError],
    ['no coefficient at all', { coefficients: {} }, OptionRangeError],
    ['ceilings without coefficients', { ceilings: { cpu: 0.5 } }, OptionRangeError],
    ['a ceiling of 0', { coefficients: { cpu: 1 }, ceilings: { cpu: 0 } }, OptionRangeError],
    ['a ceiling above 1', { coefficients: { cpu: 1 }, ceilings: { cpu: 1.5 } }, OptionRangeError],
    ['a NaN threshold', { changeThreshold: Number.NaN }, OptionRangeError],
    ['a NaN period', { samplePeriodMs: Number.NaN }, OptionRangeError],
    ['a hold of 0', { holdMs: 0 }, OptionRangeError],
    ['a text as period', { samplePeriodMs: '20' }, OptionTypeError],
    ['null as period', { samplePeriodMs: null }, OptionTypeError],
    ['an unknown smoothing', { smoothing: 'ewma' }, OptionTypeError],
    ['an unknown kind of smoothing', { smoothing: { median: 5 } }, OptionTypeError],
    ['two kinds of smoothing', { smoothing: { ewmaAlpha: 0.5, windowSamples: 5 } }, OptionTypeError],
    ['an alpha of 0', { smoothing: { ewmaAlpha: 0 } }, OptionRangeError],
    ['an alpha above 1', { smoothing: { ewmaAlpha: 1.5 } }, OptionRangeError],
    ['a window of half a sample', { smoothing: { windowSamples: 2.5 } }, OptionRangeError],
  ])('%s is refused', (_what, options, error) => {
    expect(() => resolveLoadOptions(options as LoadOptions)).toThrow(error)
  })
})
