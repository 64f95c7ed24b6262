/**
 * Fewer workers when there is little to do: one that has been idle for `idleMs` ends, down to `workers.min`. Nothing
 * else ends a worker for lack of work, so that what the user set is what happens.
 */

import type { Clock } from '../../base/clock.js'
import type { Crew } from './crew.js'

/** An `idleMs` of next to nothing would otherwise keep a timer spinning, ms. */
const MIN_PERIOD_MS = 10

export class Shrinking {
  readonly #crew: Crew
  readonly #clock: Clock
  readonly #idleMs: number
  #watching = false

  constructor(crew: Crew, clock: Clock, idleMs: number) {
    this.#crew = crew
    this.#clock = clock
    this.#idleMs = idleMs
  }

  /** A worker has turned idle: looks again when its time may be over. The timer does not hold the process. */
  watch(): void {
    const { alive, range, closing } = this.#crew
    if (this.#watching || closing || alive <= range.min || this.#idleMs === Number.POSITIVE_INFINITY) return
    this.#watching = true
    this.#clock
      .after(Math.max(this.#idleMs, MIN_PERIOD_MS), () => {
        this.#watching = false
        while (this.#endOne()) {}
        this.watch()
      })
      .unref()
  }

  /** Ends the last of the workers that have been idle for so long, if there are more than `min`; true if so. */
  #endOne(): boolean {
    if (this.#crew.alive <= this.#crew.range.min) return false
    const nowMs = this.#clock.nowMs()
    const last = this.#crew.workers.findLast(
      (worker) => worker.state === 'idle' && nowMs - worker.idleSinceMs >= this.#idleMs,
    )
    if (last === undefined) return false
    this.#crew.retire(last, 'stay dead')
    return true
  }
}
