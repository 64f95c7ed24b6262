/** From factors to a load 0..100: 0 is free, 100 is saturated but still probed. */

import { FACTOR_NAMES, LAG } from './factor-set.js'

/**
 * The default: the fuller of queue depth and event-loop lag. Either alone can saturate a worker, and a sum would
 * let an empty queue hide a stalled loop.
 */
export function defaultLoad(process: number, lag: number): number {
  return 100 * Math.max(process, lag)
}

/**
 * `LOAD = sum of R * factor` with coefficients that sum to 1 (the fifth source), times 100. A factor at its ceiling
 * makes the load 100, however small its coefficient: a worker without heap is full although its queue is empty. A
 * factor with coefficient 0 is left out altogether, but for lag: no weighting hides a stalled worker.
 */
export function weightedLoad(
  factors: ArrayLike<number>,
  coefficients: ArrayLike<number>,
  ceilings: ArrayLike<number>,
): number {
  let sum = 0
  for (let index = 0; index < FACTOR_NAMES.length; index++) {
    const coefficient = coefficients[index]!
    const factor = factors[index]!
    if (factor >= ceilings[index]! && (coefficient > 0 || index === LAG)) return 100
    sum += coefficient * factor
  }
  return Math.min(100, 100 * sum)
}
