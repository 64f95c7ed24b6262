/** Seeded randomness of the harness: the order of measurements and the arrivals of a load generator. */

/** Uniform in [0, 1). */
export type Random = () => number

/**
 * Mulberry32 (Tommy Ettinger): 32 bits of state, enough for some hundred thousand draws of arrivals and orders. The
 * bench sees evenkeel from outside, so it does not take the dispatcher's own source.
 */
export function randomFrom(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A new array in random order (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
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
  const order = shuffled(items, randomFrom(seed + 7919 * pair))
  return repetition % 2 === 0 ? order : order.reverse()
}
