/** How evenly, or how badly, work is spread over workers. */

/**
 * Jain's fairness index (1984) of non-negative amounts: 1 when all are equal, 1/n when one worker has everything.
 * NaN when there is nothing to share.
 */
export function jainFairness(amounts: ArrayLike<number>): number {
  let sum = 0
  let squares = 0
  for (let i = 0; i < amounts.length; i++) {
    sum += amounts[i]!
    squares += amounts[i]! * amounts[i]!
  }
  return (sum * sum) / (amounts.length * squares)
}

/**
 * Share of the tasks dispatched while a worker was stalled that went to the stalled worker: 0 ideal, 1/n for a
 * rule that does not look, 1 when all work piles on to it. NaN when nothing was dispatched.
 */
export function pileOnIndex(sentToStalled: number, sentInAll: number): number {
  return sentToStalled / sentInAll
}

/**
 * Largest share of one worker in one interval, averaged over the intervals in which anything was dispatched,
 * weighted by their tasks; 1/workers is ideal, 1 is a herd. `counts[t][w]` is how many tasks worker w was sent in
 * interval t; the interval should be the report period, for that is how long a herd runs one way.
 */
export function herdIndex(counts: readonly ArrayLike<number>[]): number {
  let largest = 0
  let all = 0
  for (const interval of counts) {
    let most = 0
    for (let worker = 0; worker < interval.length; worker++) {
      most = Math.max(most, interval[worker]!)
      all += interval[worker]!
    }
    largest += most
  }
  return largest / all
}
