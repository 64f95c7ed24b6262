/** Durations counted in buckets, and quantiles and sums of such counts. */

/** How many durations fell into each bucket. Counts only grow, so the difference of two copies is what came between. */
export interface DurationCounts {
  /** Upper end of each bucket, µs, rising. A bucket begins where the one before it ends. */
  readonly endsUs: ArrayLike<number>
  readonly counts: ArrayLike<number>
  /** Sum of all durations, µs. */
  readonly sumUs: number
}

/** What was counted after `earlier` and up to `later`. */
export function countedBetween(earlier: DurationCounts, later: DurationCounts): DurationCounts {
  const counts = Float64Array.from(later.counts, (count, bucket) => count - (earlier.counts[bucket] ?? 0))
  return { endsUs: later.endsUs, counts, sumUs: later.sumUs - earlier.sumUs }
}

/** The sum of both, which have the same buckets. */
export function addCounts(a: DurationCounts, b: DurationCounts): DurationCounts {
  const counts = Float64Array.from(a.counts, (count, bucket) => count + (b.counts[bucket] ?? 0))
  return { endsUs: a.endsUs, counts, sumUs: a.sumUs + b.sumUs }
}

export function totalCount({ counts }: DurationCounts): number {
  let total = 0
  for (let bucket = 0; bucket < counts.length; bucket++) total += counts[bucket]!
  return total
}

/** The duration, ms, that a share `quantile` of all durations does not exceed. 0 when there are none. */
export function quantileMs(durations: DurationCounts, quantile: number): number {
  const { endsUs, counts } = durations
  let left = Math.max(1, Math.ceil(quantile * totalCount(durations)))
  for (let bucket = 0; bucket < counts.length; bucket++) {
    const count = counts[bucket]!
    if (left <= count) {
      const beginUs = bucket === 0 ? 0 : endsUs[bucket - 1]!
      return (beginUs + ((endsUs[bucket]! - beginUs) * left) / count) / 1000
    }
    left -= count
  }
  return 0
}

/**
 * The number of durations up to each limit, seconds; the limits rise. A bucket that a limit cuts counts as beyond the
 * limit, so a number is never too large.
 */
export function countsUpTo({ endsUs, counts }: DurationCounts, limitsSeconds: readonly number[]): number[] {
  let bucket = 0
  let sum = 0
  return limitsSeconds.map((limitSeconds) => {
    const limitUs = limitSeconds * 1e6
    while (bucket < counts.length && endsUs[bucket]! <= limitUs) sum += counts[bucket++]!
    return sum
  })
}
