import type { RandomSource } from '../../src/base/random.js'
import { median, quantileOfSorted } from './quantiles.js'

export interface RatioInterval {
  /** Median of system / reference over the pairs. */
  readonly ratio: number
  readonly low: number
  readonly high: number
}

/** Ratio of each pair; both sides must be positive and finite, because a ratio to zero means nothing. */
export function pairedRatios(system: readonly number[], reference: readonly number[]): number[] {
  if (system.length !== reference.length || system.length === 0) {
    throw new RangeError(
      `expected equally many runs of both sides, at least one, got ${system.length} and ${reference.length}`,
    )
  }
  return system.map((value, i) => {
    const base = reference[i]!
    if (!(value > 0 && base > 0 && value < Infinity && base < Infinity)) {
      throw new RangeError(`run ${i}: expected two positive finite figures, got ${value} and ${base}`)
    }
    return value / base
  })
}

/**
 * Median of paired ratios with its percentile-bootstrap interval (Efron, 1979). The unit is the run, never the
 * task: tasks of one run share its queue and are correlated. Cost: `resamples` sorts of one value per pair.
 */
export function ratioInterval(
  system: readonly number[],
  reference: readonly number[],
  random: RandomSource,
  { confidence = 0.95, resamples = 10_000 } = {},
): RatioInterval {
  const ratios = pairedRatios(system, reference)
  const medians = new Float64Array(resamples)
  const draw = new Float64Array(ratios.length)
  for (let round = 0; round < resamples; round++) {
    for (let i = 0; i < draw.length; i++) draw[i] = ratios[Math.floor(random() * ratios.length)]!
    medians[round] = quantileOfSorted(draw.sort(), 0.5)
  }
  medians.sort()
  const tail = (1 - confidence) / 2
  return { ratio: median(ratios), low: quantileOfSorted(medians, tail), high: quantileOfSorted(medians, 1 - tail) }
}
