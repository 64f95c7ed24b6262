/** How long to wait before a thread is started again. */

/** Wait before a thread is started again: none after the first death, then from here, ms … */
const RESTART_FIRST_MS = 50
/** … doubling up to here, ms. */
const RESTART_MAX_MS = 5_000

/** @param crashesInRow deaths without a finished task between them, this one included */
export function restartDelayMs(crashesInRow: number): number {
  if (crashesInRow <= 1) return 0
  return Math.min(RESTART_MAX_MS, RESTART_FIRST_MS * 2 ** (crashesInRow - 2))
}
