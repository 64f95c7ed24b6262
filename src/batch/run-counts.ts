/** How many records a run, and all runs together, brought to an end. */

/** How many records ended in which way. */
export interface RunCounts {
  readonly ok: number
  readonly failed: number
  readonly skipped: number
}

/** `passed`: what this run wrote; `whole`: what all runs wrote, when that is known. */
export function finalCounts<T extends RunCounts & { readonly unfinished: number }>(
  counts: T,
  passed: RunCounts,
  whole: RunCounts | undefined,
): T & { readonly thisRun: RunCounts } {
  const thisRun = { ...passed }
  const settled = counts.ok + counts.failed + counts.skipped
  // What was done behind an unfinished record was not written in order: it is unfinished, too.
  const dropped = settled - thisRun.ok - thisRun.failed - thisRun.skipped
  return { ...counts, ...(whole ?? thisRun), unfinished: counts.unfinished + dropped, thisRun }
}
