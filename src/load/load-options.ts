/** The dispatcher's `load` option: how a worker's load is computed. */

import { checkInteger, checkNumber, ownOptions } from '../base/checks.js'
import { OptionRangeError, OptionTypeError } from '../base/errors.js'
import { FACTOR_NAMES, type FactorName } from './factors.js'

/** How much each factor counts; a factor left out counts nothing. The sum is 1. */
export type LoadCoefficients = { readonly [name in FactorName]?: number }

/** The value at which one factor alone saturates the worker. A factor left out keeps its default. */
export type LoadCeilings = { readonly [name in FactorName]?: number }

/** `'none'`, an exponential average (`ewmaAlpha` above 0, up to 1), or the mean of the last `windowSamples` samples. */
export type LoadSmoothing = 'none' | { readonly ewmaAlpha: number } | { readonly windowSamples: number }

/** How a worker's load is computed. */
export interface LoadOptions {
  /**
   * Weights of the factors, summing to 1. Without them the load is the fuller of queue depth and event-loop lag.
   */
  readonly coefficients?: LoadCoefficients | undefined
  /**
   * The value (above 0, up to 1) at which one factor alone makes the load 100; `Infinity` for never. Only with
   * coefficients. In a pool that is always busy every worker's `cpu` is 1: set it to `Infinity` there, or all loads are
   * 100.
   */
  readonly ceilings?: LoadCeilings | undefined
  /** Smoothing of the load over samples `samplePeriodMs` apart. */
  readonly smoothing?: LoadSmoothing | undefined
  /** Least time between two samples of the smoothing, ms. */
  readonly samplePeriodMs?: number | undefined
  /** Selection tables are rebuilt when a load has moved by more than this, in points of 0..100. */
  readonly changeThreshold?: number | undefined
  /** Event-loop lag that saturates a worker, ms. */
  readonly fullLagMs?: number | undefined
  /** Response time that saturates a worker, ms. */
  readonly responseTargetMs?: number | undefined
  /** How long all workers must be overloaded or underloaded before an event says so, ms. */
  readonly holdMs?: number | undefined
}

export interface ResolvedLoadOptions {
  /** In the order of `FACTOR_NAMES`; undefined for the default load. */
  readonly coefficients: readonly number[] | undefined
  readonly ceilings: readonly number[]
  readonly smoothing: LoadSmoothing
  readonly samplePeriodMs: number
  readonly changeThreshold: number
  readonly fullLagMs: number
  readonly responseTargetMs: number
  readonly holdMs: number
}

/** All defaults. `coefficients` has none: without them the default load is used. */
export const LOAD_DEFAULTS: Readonly<Required<Omit<LoadOptions, 'coefficients'>>> = Object.freeze({
  // A heap that is 90 % full is about to spend its time on garbage collection, or to run out.
  ceilings: Object.freeze({ cpu: 1, memory: 0.9, io: 1, process: 1, response: 1, lag: 1 }),
  smoothing: 'none',
  samplePeriodMs: 20,
  // Half a point: whole points are seen, noise is not.
  changeThreshold: 0.5,
  fullLagMs: 100,
  responseTargetMs: 1_000,
  holdMs: 1_000,
})

const MAX_MS = 2 ** 31 - 1
const MAX_WINDOW_SAMPLES = 1_000

/** Far more than the rounding error of a sum such as 0.1 + 0.4 + 0.1 + 0.1 + 0.3. */
const SUM_TOLERANCE = 1e-9

/**
 * A copy of the options, so that later changes by the caller have no effect. Checks nothing but unknown keys.
 * @throws OptionTypeError
 */
export function copyLoadOptions(value: unknown): LoadOptions {
  const { coefficients, ceilings, smoothing, ...rest } = ownOptions('load', value, [
    ...(Object.keys(LOAD_DEFAULTS) as (keyof typeof LOAD_DEFAULTS)[]),
    'coefficients',
  ])
  const factors = (option: string, given: unknown) =>
    given === undefined ? undefined : ownOptions(option, given, FACTOR_NAMES)
  return Object.assign(Object.create(null), rest, {
    coefficients: copyCoefficients(coefficients),
    ceilings: factors('load.ceilings', ceilings),
    smoothing:
      typeof smoothing === 'object' && smoothing !== null ? Object.assign(Object.create(null), smoothing) : smoothing,
  })
}

/** @throws OptionTypeError */
export function copyCoefficients(value: unknown): LoadCoefficients | undefined {
  return value === undefined ? undefined : (ownOptions('load.coefficients', value, FACTOR_NAMES) as LoadCoefficients)
}

/**
 * The options with defaults filled in. Unknown keys and values out of range are refused.
 * @throws OptionTypeError, OptionRangeError
 */
export function resolveLoadOptions(options: LoadOptions = {}): ResolvedLoadOptions {
  const {
    coefficients,
    ceilings = LOAD_DEFAULTS.ceilings,
    smoothing = LOAD_DEFAULTS.smoothing,
    ...rest
  } = copyLoadOptions(options)
  if (ceilings !== LOAD_DEFAULTS.ceilings && coefficients === undefined) {
    throw new OptionRangeError('load.ceilings', 'has no effect without load.coefficients')
  }
  const given = { ...LOAD_DEFAULTS, ...rest }
  const checkMs = (key: 'samplePeriodMs' | 'fullLagMs' | 'responseTargetMs' | 'holdMs') =>
    checkNumber(`load.${key}`, given[key], 1, MAX_MS)
  return Object.freeze({
    coefficients: coefficients === undefined ? undefined : resolveCoefficients(coefficients),
    ceilings: resolveCeilings(ceilings),
    smoothing: checkSmoothing(smoothing),
    samplePeriodMs: checkMs('samplePeriodMs'),
    changeThreshold: checkNumber('load.changeThreshold', given.changeThreshold, 0, 100),
    fullLagMs: checkMs('fullLagMs'),
    responseTargetMs: checkMs('responseTargetMs'),
    holdMs: checkMs('holdMs'),
  })
}

/** @throws OptionTypeError, OptionRangeError: also when the sum is not 1 */
export function resolveCoefficients(coefficients: LoadCoefficients): readonly number[] {
  const option = 'load.coefficients'
  const given = ownOptions(option, coefficients, FACTOR_NAMES)
  const values = FACTOR_NAMES.map((name) => (name in given ? checkNumber(`${option}.${name}`, given[name], 0, 1) : 0))
  const sum = values.reduce((total, value) => total + value, 0)
  if (Math.abs(sum - 1) > SUM_TOLERANCE) {
    throw new OptionRangeError(option, `must sum to 1, but sum to ${Number(sum.toPrecision(12))}`)
  }
  return values
}

function resolveCeilings(ceilings: LoadCeilings): readonly number[] {
  const option = 'load.ceilings'
  const given = { ...LOAD_DEFAULTS.ceilings, ...ownOptions(option, ceilings, FACTOR_NAMES) }
  return FACTOR_NAMES.map((name) => {
    if (given[name] === Number.POSITIVE_INFINITY) return given[name]
    const ceiling = checkNumber(`${option}.${name}`, given[name], 0, 1)
    if (ceiling === 0) throw new OptionRangeError(`${option}.${name}`, 'expected a number above 0, got 0')
    return ceiling
  })
}

function checkSmoothing(smoothing: LoadSmoothing): LoadSmoothing {
  const option = 'load.smoothing'
  if (smoothing === 'none') return smoothing
  const { ewmaAlpha, windowSamples } = ownOptions(option, smoothing, ['ewmaAlpha', 'windowSamples'])
  if ((ewmaAlpha === undefined) === (windowSamples === undefined)) {
    throw new OptionTypeError(option, "expected 'none', { ewmaAlpha } or { windowSamples }")
  }
  if (windowSamples !== undefined) {
    return { windowSamples: checkInteger(`${option}.windowSamples`, windowSamples, 1, MAX_WINDOW_SAMPLES) }
  }
  const alpha = checkNumber(`${option}.ewmaAlpha`, ewmaAlpha, 0, 1)
  if (alpha === 0) throw new OptionRangeError(`${option}.ewmaAlpha`, 'expected a number above 0, got 0')
  return { ewmaAlpha: alpha }
}
