/**
 * The latest stretch of counts that only grow. Reading takes nothing out, so any number of scrapers, each at its own
 * pace, see the same window: a histogram that a scrape resets is wrong as soon as there are two.
 */

import { countedBetween, type DurationCounts } from './duration-counts.js'

/** Into how many slices a window is cut: it spans between its length and an eighth more. */
export const SLICES = 8

interface Slice {
  readonly atMs: number
  readonly counts: DurationCounts
}

export class RollingWindow {
  readonly #windowMs: number
  /** Counts at the ends of the slices, oldest first; the oldest is where the window begins. */
  readonly #slices: Slice[] = []

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Begins a slice with the counts of now; to be called every `windowMs / SLICES`. O(1). */
  mark(counts: DurationCounts, nowMs: number): void {
    this.#slices.push({ atMs: nowMs, counts })
    // The next oldest is old enough to begin the window with.
    while (this.#slices.length > 1 && nowMs - this.#slices[1]!.atMs >= this.#windowMs) this.#slices.shift()
  }

  /** What was counted in the window, given the counts of now; from the first mark on, while that is more recent. */
  upTo(counts: DurationCounts): DurationCounts {
    const oldest = this.#slices[0]
    return oldest === undefined ? counts : countedBetween(oldest.counts, counts)
  }
}
