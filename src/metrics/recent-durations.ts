/** How long the tasks of the last minute waited and ran. */

import type { Clock, Timer } from '../base/clock.js'
import { quantileMs } from './duration-counts.js'
import type { ObservedPool, PoolDurations } from './observed-pool.js'
import { RollingWindow, SLICES } from './rolling-window.js'

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

/** Watches a pool's counts. Its timer copies them eight times a window and never holds the process. */
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

  /** Given the counts of now. */
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
