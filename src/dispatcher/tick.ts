/**
 * The one timer of a dispatcher. It runs only while an accepted task is unsettled, and it alone holds the process:
 * ports stay unref'd, so an idle dispatcher keeps nothing alive and costs nothing.
 */

import type { Clock, Timer } from '../base/clock.js'

const TICK_MS = 5

export class Tick {
  readonly #clock: Clock
  readonly #look: () => boolean
  #timer: Timer | undefined

  /** @param look called at every tick; false stops the timer until `start` is called again */
  constructor(clock: Clock, look: () => boolean) {
    this.#clock = clock
    this.#look = look
  }

  get running(): boolean {
    return this.#timer !== undefined
  }

  start(): void {
    if (this.#timer !== undefined) return
    this.#timer = this.#clock.every(TICK_MS, () => {
      if (this.#look()) return
      this.#timer?.stop()
      this.#timer = undefined
    })
  }
}
