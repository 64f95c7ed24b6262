/**
 * The one timer of a dispatcher. It runs only while an accepted task is unsettled, and it alone holds the process:
 * ports stay unref'd, so an idle dispatcher keeps nothing alive and costs nothing.
 *
 * It knows how late it comes: what is judged by the clock must not be judged by our own absence.
 */

import type { ProcessClock, Timer } from '../../base/clock.js'

const TICK_MS = 5
/** Less than this is the daily business of a busy event loop, ms, and counts as no lateness. */
const LATE_MS = 50

/** One look, and what happened since the last. */
export interface Look {
  readonly nowMs: number
  /** How much later than planned it comes, ms: the thread was blocked, or the process stopped. 0 in daily business. */
  readonly lateMs: number
  /**
   * For how much of that, at least, the whole process stood still, ms: stopped by a signal, or its machine suspended.
   * It is the part in which no thread of the process used a processor.
   */
  readonly stoppedMs: number
}

export class Tick {
  readonly #clock: ProcessClock
  readonly #look: (look: Look) => boolean
  #timer: Timer | undefined
  #lastMs = 0
  #lastProcessorMs = 0

  /** @param look called at every tick; false stops the timer until `start` is called again */
  constructor(clock: ProcessClock, look: (look: Look) => boolean) {
    this.#clock = clock
    this.#look = look
  }

  get running(): boolean {
    return this.#timer !== undefined
  }

  start(): void {
    if (this.#timer !== undefined) return
    this.#sinceLast()
    this.#timer = this.#clock.every(TICK_MS, () => {
      if (this.#look(this.#sinceLast())) return
      this.#timer?.stop()
      this.#timer = undefined
    })
  }

  #sinceLast(): Look {
    const nowMs = this.#clock.nowMs()
    const processorMs = this.#clock.processorMs()
    const overdueMs = nowMs - this.#lastMs - TICK_MS
    const lateMs = overdueMs > LATE_MS ? overdueMs : 0
    const stoppedMs = Math.max(0, lateMs - (processorMs - this.#lastProcessorMs))
    this.#lastMs = nowMs
    this.#lastProcessorMs = processorMs
    return { nowMs, lateMs, stoppedMs }
  }
}
