import type { IntervalHistogram } from 'node:perf_hooks'

/** How often Node's sampler looks at the event loop: often enough for thousands of samples in the shortest run. */
export const delayResolutionMs = 1

/**
 * How late the loop came to its timers. The histogram holds the time from one sample to the next; what is beyond the
 * resolution is the delay, in which the timers' own rounding to a millisecond is left.
 */
export function delayQuantileMs(histogram: IntervalHistogram, fraction: number): number {
  return Math.max(0, histogram.percentile(fraction * 100) / 1e6 - delayResolutionMs)
}
