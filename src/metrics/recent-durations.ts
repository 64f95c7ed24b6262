/** How long the tasks of the last minute waited and ran. */

import type { Clock, Timer } from '../base/clock.js'
import { countedBetween, type DurationCounts, quantileMs } from './duration-counts.js'
import type { ObservedPool, PoolDurations } from './observed-pool.js'

/** The middle, the slow tenth and the slow hundredth of some durations, ms. */
export interface RecentPercentiles {
  readonly p50: number
  readonly p90: number
  readonly p99: number
}

/** Percentiles of the tasks that finished within the window. */
export interface RecentTimes {
  /** Submission to start, ms. */
  readonly waitMs: RecentPercentiles
  /** Start to finish, ms. */
  readonly runMs: RecentPercentiles
}

/** Watches a pool's counts. A timer copies them eight times a window; it never keeps the process alive. */
export class RecentDurations {
  readonly #pool: ObservedPool
  readonly #clock: Clock
  readonly #wait: RollingWindow
  readonly #run: RollingWindow
  readonly #timer: Timer

  constructor(pool: ObservedPool, windowMs: number, clock: Clock) {
    this.#pool = pool
    this.#clock = clock
    this.#wait = new RollingWindow(windowMs)
    this.#run = new RollingWindow(windowMs)
    this.#mark()
    this.#timer = clock.every(windowMs / SLICES, () => this.#mark())
    this.#timer.unref()
  }

  /** @param durations the counts of now */
  times(durations: PoolDurations): RecentTimes {
    const percentiles = (window: RollingWindow, kind: 'wait' | 'run'): RecentPercentiles => {
      const recent = window.upTo(durations[kind])
      return { p50: quantileMs(recent, 0.5), p90: quantileMs(recent, 0.9), p99: quantileMs(recent, 0.99) }
    }
    return { waitMs: percentiles(this.#wait, 'wait'), runMs: percentiles(this.#run, 'run') }
  }

  close(): void {
    this.#timer.stop()
  }

  #mark(): void {
    const durations = this.#pool.durations()
    const nowMs = this.#clock.nowMs()
    this.#wait.mark(durations.wait, nowMs)
    this.#run.mark(durations.run, nowMs)
  }
}

/** Slices of a window. Its real span is between its length and one slice more. */
export const SLICES = 8

interface Slice {
  readonly atMs: number
  readonly counts: DurationCounts
}

/**
 * What was counted in the last `windowMs`, from counts that only grow. Reading resets nothing, so any number of
 * scrapers see the same window, each at its own pace.
 */
export class RollingWindow {
  readonly #windowMs: number
  /** Counts at the starts of the slices, oldest first. The window begins at the oldest. */
  readonly #slices: Slice[] = []

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Begins a slice with the counts of now. Call it every `windowMs / SLICES`. O(1). */
  mark(counts: DurationCounts, nowMs: number): void {
    this.#slices.push({ atMs: nowMs, counts })
    // The oldest slice goes when the next one is old enough to begin the window.
    while (this.#slices.length > 1 && nowMs - this.#slices[1]!.atMs >= this.#windowMs) this.#slices.shift()
  }

  /** What was counted in the window, or since the first mark if that is more recent. @param counts the counts of now */
  upTo(counts: DurationCounts): DurationCounts {
    const oldest = this.#slices[0]
    return oldest === undefined ? counts : countedBetween(oldest.counts, counts)
  }
}
