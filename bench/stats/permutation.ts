/**
 * Permutation tests on the logarithms of run figures: a ratio is a difference there, and twice as slow counts as
 * much as twice as fast. Both are two-sided, enumerate every permutation while that is cheap, and sample beyond.
 */

import type { RandomSource } from '../../src/base/random.js'
import { pairedRatios } from './ratio-interval.js'

/** Sums that differ by less are the same arrangement reached in another order of additions. */
const ROUNDING = 1e-9

/** Up to this many arrangements are enumerated; 2^14 sign patterns take about a millisecond. */
const MOST_ENUMERATED = 2 ** 14

/** Arrangements drawn when there are too many to enumerate. */
const SAMPLED = 20_000

function shareAsExtreme(statistics: Iterable<number>, observed: number): number {
  let extreme = 0
  let total = 0
  for (const statistic of statistics) {
    if (Math.abs(statistic) >= Math.abs(observed) - ROUNDING) extreme++
    total++
  }
  return extreme / total
}

/**
 * Sign-flip test of paired runs: under "no difference" each pair's log ratio is as likely positive as negative.
 * The smallest p that n pairs can give is 2^(1-n).
 */
export function pairedPermutationP(
  system: readonly number[],
  reference: readonly number[],
  random: RandomSource,
): number {
  const logs = pairedRatios(system, reference).map(Math.log)
  const observed = logs.reduce((sum, value) => sum + value, 0)
  const enumerate = 2 ** logs.length <= MOST_ENUMERATED
  function* statistics(): Generator<number> {
    for (let round = 0; round < (enumerate ? 2 ** logs.length : SAMPLED); round++) {
      let sum = 0
      for (let i = 0; i < logs.length; i++) {
        const flip = enumerate ? (round >>> i) & 1 : random() < 0.5
        sum += flip ? -logs[i]! : logs[i]!
      }
      yield sum
    }
    // The observed arrangement is one of the possible ones, so a sampled p is never 0.
    if (!enumerate) yield observed
  }
  return shareAsExtreme(statistics(), observed)
}

function choose(n: number, k: number): number {
  let ways = 1
  for (let i = 1; i <= k; i++) ways = (ways * (n - k + i)) / i
  return Math.round(ways)
}

/**
 * Label test of two groups of runs: under "no difference" every split of the pooled runs into groups of these
 * sizes is equally likely. Valid for pairs with equal seeds too, where it errs on the safe side.
 * The smallest p is 2 / C(n + m, n) for equal sizes: 0.0079 at five runs a side, where sign flips stop at 0.0625.
 */
export function labelPermutationP(
  system: readonly number[],
  reference: readonly number[],
  random: RandomSource,
): number {
  const pooled = [...system, ...reference].map((value) => {
    if (!(value > 0 && value < Infinity)) throw new RangeError(`expected positive finite figures, got ${value}`)
    return Math.log(value)
  })
  const size = system.length
  if (size === 0 || reference.length === 0) throw new RangeError('expected at least one run of both sides')
  const total = pooled.reduce((sum, value) => sum + value, 0)
  const difference = (groupSum: number): number => groupSum / size - (total - groupSum) / reference.length
  const observed = difference(pooled.slice(0, size).reduce((sum, value) => sum + value, 0))

  function* everySplit(from: number, left: number, sum: number): Generator<number> {
    if (left === 0) {
      yield difference(sum)
      return
    }
    for (let i = from; i <= pooled.length - left; i++) yield* everySplit(i + 1, left - 1, sum + pooled[i]!)
  }
  function* sampledSplits(): Generator<number> {
    const shuffled = [...pooled]
    for (let round = 0; round < SAMPLED; round++) {
      let sum = 0
      for (let i = 0; i < size; i++) {
        const j = i + Math.floor(random() * (shuffled.length - i))
        const taken = shuffled[j]!
        shuffled[j] = shuffled[i]!
        shuffled[i] = taken
        sum += taken
      }
      yield difference(sum)
    }
    yield observed
  }
  const enumerate = choose(pooled.length, size) <= MOST_ENUMERATED
  return shareAsExtreme(enumerate ? everySplit(0, size, 0) : sampledSplits(), observed)
}
