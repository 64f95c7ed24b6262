/** How long to wait before the next try. */

import type { RandomSource } from '../base/random.js'

/** Wait before a thread is started again: none after the first death, then from here, ms … */
const RESTART_FIRST_MS = 50
/** … doubling up to here, ms. */
const RESTART_MAX_MS = 5_000

/** @param crashesInRow deaths without a finished task between them, this one included */
export function restartDelayMs(crashesInRow: number): number {
  if (crashesInRow <= 1) return 0
  return Math.min(RESTART_MAX_MS, RESTART_FIRST_MS * 2 ** (crashesInRow - 2))
}

/** Doubles with each attempt; between half and one and a half of that, so that tasks that failed together do not return together. */
export function retryDelayMs(backoffMs: number, attempt: number, random: RandomSource): number {
  return backoffMs * 2 ** Math.min(30, attempt - 1) * (0.5 + random())
}
