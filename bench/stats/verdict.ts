import type { RandomSource } from '../../src/base/random.js'
import { holmCorrection } from './holm.js'
import { labelPermutationP, pairedPermutationP } from './permutation.js'
import { type RatioInterval, ratioInterval } from './ratio-interval.js'

export type Verdict = 'better' | 'worse' | 'no difference shown' | 'within noise'

/** Differences up to this share are not worth naming, however certain they are. */
export const NOISE_SHARE = 0.02

/** Level at which a corrected p counts as shown. */
export const SIGNIFICANCE = 0.05

/** From this many pairs the sign-flip test can reach p = 0.0078 and uses the pairing; below, labels are permuted. */
export const PAIRS_FOR_SIGN_FLIPS = 8

export type BetterWhen = 'lower' | 'higher'

/** The word for one comparison; `p` must already be corrected for its family. */
export function verdictOf({ low, high }: RatioInterval, p: number, betterWhen: BetterWhen): Verdict {
  const floor = 1 - NOISE_SHARE
  const ceiling = 1 + NOISE_SHARE
  if (p < SIGNIFICANCE) {
    if (high < floor) return betterWhen === 'lower' ? 'better' : 'worse'
    if (low > ceiling) return betterWhen === 'lower' ? 'worse' : 'better'
    return 'within noise'
  }
  return low >= floor && high <= ceiling ? 'within noise' : 'no difference shown'
}

export interface Comparison extends RatioInterval {
  readonly system: string
  /** Corrected by Holm over all systems compared with the reference in this call. */
  readonly p: number
  readonly verdict: Verdict
}

/**
 * Compares each system with the reference. Figure i of every list comes from repetition i, with the same seed for
 * all, so the lists are paired and equally long.
 */
export function compareWithReference(
  systems: Readonly<Record<string, readonly number[]>>,
  reference: readonly number[],
  random: RandomSource,
  betterWhen: BetterWhen = 'lower',
): Comparison[] {
  const names = Object.keys(systems)
  const intervals = names.map((name) => ratioInterval(systems[name]!, reference, random))
  const test = reference.length >= PAIRS_FOR_SIGN_FLIPS ? pairedPermutationP : labelPermutationP
  const corrected = holmCorrection(names.map((name) => test(systems[name]!, reference, random)))
  return names.map((system, i) => {
    const interval = intervals[i]!
    const p = corrected[i]!
    return { system, ...interval, p, verdict: verdictOf(interval, p, betterWhen) }
  })
}
