/**
 * The one timer of a dispatcher. It runs only while an accepted task is unsettled, and it alone holds the process:
 * ports stay unref'd, so an idle dispatcher keeps nothing alive and costs nothing.
 *
 * It measures its own lateness, so that workers are not blamed for a delay of this side.
 */

import type { ProcessClock, Timer } from '../../base/clock.js'

const TICK_MS = 5
/** Shorter delays are normal for a busy event loop, and do not count as late, ms. */
const LATE_MS = 50

/** One look, and what happened since the last. */
export interface Look {
  readonly nowMs: number
  /**
   * How much later than planned this tick is, ms, because the thread was blocked or the process stopped. 0 for normal
   * delays.
   */
  readonly lateMs: number
  /**
   * How much of that the whole process stood still, at least, ms: it was stopped by a signal, or the machine was
   * suspended. It is the part in which no thread of the process used a processor.
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
