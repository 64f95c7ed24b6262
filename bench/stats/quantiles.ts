/** Order statistics of samples. None of these functions changes its argument. */

/** Ascending copy; typed, because sorting a Float64Array is numeric and several times faster than sorting an array. */
export function sortedCopy(samples: ArrayLike<number>): Float64Array {
  return Float64Array.from(samples).sort()
}

/**
 * Quantile of ascending samples, `fraction` in [0, 1], by linear interpolation between the two nearest order
 * statistics (type 7 of Hyndman and Fan, 1996). NaN without samples. O(1).
 */
export function quantileOfSorted(sorted: ArrayLike<number>, fraction: number): number {
  if (!(fraction >= 0 && fraction <= 1))
    throw new RangeError(`fraction: expected a number from 0 to 1, got ${fraction}`)
  if (sorted.length === 0) return Number.NaN
  const position = (sorted.length - 1) * fraction
  const below = Math.floor(position)
  const low = sorted[below]!
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!
  // Also keeps infinite samples from becoming NaN.
  if (position === below || low === high) return low
  return low + (high - low) * (position - below)
}

export function median(samples: ArrayLike<number>): number {
  return quantileOfSorted(sortedCopy(samples), 0.5)
}

export function mean(samples: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < samples.length; i++) sum += samples[i]!
  return sum / samples.length
}

/** What a run's latencies are reported as; the unit is the samples' own. */
export interface LatencySummary {
  readonly count: number
  readonly mean: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  /** NaN below 10,000 samples: a tail of fewer than ten values says nothing. */
  readonly p999: number
  readonly max: number
}

/** Fewest samples for which a p99.9 is given. */
export const SAMPLES_FOR_P999 = 10_000

/** One sort: O(n log n). */
export function summarizeLatencies(samples: ArrayLike<number>): LatencySummary {
  const sorted = sortedCopy(samples)
  const count = sorted.length
  return {
    count,
    mean: mean(sorted),
    p50: quantileOfSorted(sorted, 0.5),
    p90: quantileOfSorted(sorted, 0.9),
    p99: quantileOfSorted(sorted, 0.99),
    p999: count >= SAMPLES_FOR_P999 ? quantileOfSorted(sorted, 0.999) : Number.NaN,
    max: count > 0 ? sorted[count - 1]! : Number.NaN,
  }
}
