/** Pure formulas from a load to a weight. The strategies decide when to apply them. */

/** The largest load. A worker above it is not in the table. */
export const FULL_LOAD = 100

/** The load of a worker that must not be drawn. */
export const OUT_OF_TABLE = FULL_LOAD + 1

/** The steepest table: 101^4 times 2^16 workers, counted in steps of 1 / 1024, stays below 2^53. */
export const MAX_STEEPNESS = 4

/**
 * Widths are multiples of 1 / STEPS, so their sums are exact in any order: a table that was updated a million times
 * equals a new one.
 */
const STEPS = 1024

/**
 * Width of a worker's range: `(100 - load + 1) ** steepness`, 0 above load 100 (and for NaN). The `+ 1` keeps a full
 * worker at width 1, so that it is still probed. Whole loads and a whole steepness give whole widths; steepness 1 is
 * the literal `101 - load`. Source: the load-weighted range table; the exponent is evenkeel's own. With exact loads a
 * steeper table waits less: ten workers at 90 %, load 100 at three tasks, exponential service, simulated mean times of
 * 2.55 (steepness 1) and 2.36 (2) with one draw, 2.24 and 2.12 with two.
 */
export function rangeWidth(load: number, steepness: number): number {
  if (!(load <= FULL_LOAD)) return 0
  const base = FULL_LOAD - Math.max(0, load) + 1
  const width = steepness === 1 ? base : steepness === 2 ? base * base : base ** steepness
  return Math.round(width * STEPS) / STEPS
}

/** Coefficients of the dynamic feedback formula. */
export interface FeedbackCoefficients {
  /** A: factor of the initial weight. */
  readonly amplification: number
  /** B: factor of the correction. */
  readonly gain: number
}

/**
 * Weight of dynamic feedback: `A * DW + B * cbrt(headroom - DW)`, clamped to 0 and `2 * A * DW`. `headroom` is 1 - load
 * (0..1); `initialWeight` (DW) is the headroom that the worker should have. A worker with initial weight 0 keeps 0.
 * Source: dynamic feedback load balancing (Linux Virtual Server). The clamp is ours, because the cube root leaves the
 * scale on both sides.
 */
export function feedbackWeight(initialWeight: number, headroom: number, coefficients: FeedbackCoefficients): number {
  const level = coefficients.amplification * initialWeight
  const weight = level + coefficients.gain * Math.cbrt(headroom - initialWeight)
  return Math.min(Math.max(weight, 0), 2 * level)
}
