/** How long the recent runs of one task were: whether its next run may block, so that no answer should wait for its end. */

/** Runs of a name before any of them can be trusted to be short: a caller may depend on an answer before this one. */
const FIRST_RUNS = 64
/** A name with a peak above this may block, ms. */
const MAY_BE_LONG_MS = 0.3
/** Factor of the peak, per run. */
const PEAK_DECAY = 0.99
/** A run that took longer is remembered, however many short ones follow, ms. No pause of the machine takes that long. */
const LONG_MS = 250
/** For how long, ms. */
const REMEMBERED_MS = 120_000

export class RunTimes {
  #runs = 0
  /** Longest recent run, ms. */
  #peakMs = 0
  #longUntilMs = 0

  note(runMs: number, nowMs: number): void {
    this.#runs++
    this.#peakMs = Math.max(runMs, this.#peakMs * PEAK_DECAY)
    if (runMs > LONG_MS) this.#longUntilMs = nowMs + REMEMBERED_MS
  }

  mayBeLong(nowMs: number): boolean {
    return this.#peakMs > MAY_BE_LONG_MS || this.#runs < FIRST_RUNS || nowMs < this.#longUntilMs
  }
}
