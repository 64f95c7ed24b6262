/** The order of measurements. */

import { type RandomSource, seededRandom } from '../../src/base/random.js'

/** A new array in random order (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: RandomSource): T[] {
  const order = [...items]
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    const kept = order[last] as T
    order[last] = order[other] as T
    order[other] = kept
  }
  return order
}

/**
 * The order of one repetition. Even repetitions are shuffled afresh, odd ones run the order before them backwards
 * (ABBA): a drift of the machine that is linear over the pair then hits every system alike.
 */
export function orderOfRepetition<T>(items: readonly T[], repetition: number, seed: number): T[] {
  const pair = repetition >> 1
  const order = shuffled(items, seededRandom(seed + 7919 * pair))
  return repetition % 2 === 0 ? order : order.reverse()
}
