/**
 * How many threads boot at the same time in this process. Booting is computing: eight threads that boot together on
 * two cores are all ready after 100 ms; two at a time, the first is ready after 30 and the last no later.
 */

import type { Clock } from '../base/clock.js'
import { setImmediate } from '../base/timers.js'

/** A thread that takes longer, because a preload of the user's waits for something, is not waited for, ms. */
const PATIENCE_MS = 1_000

export class BootQueue {
  readonly #atOnce: number
  readonly #clock: Clock
  readonly #waiting: ((booted: () => void) => void)[] = []
  #booting = 0

  constructor(atOnce: number, clock: Clock) {
    this.#atOnce = atOnce
    this.#clock = clock
  }

  /** Calls `start` at once, or when it is its turn; `start` must have `booted` called when the thread is up, or gone. */
  enter(start: (booted: () => void) => void): void {
    if (this.#booting < this.#atOnce) this.#start(start)
    else this.#waiting.push(start)
  }

  /** True when `start` was still waiting; it will not be called then. */
  leave(start: (booted: () => void) => void): boolean {
    const index = this.#waiting.indexOf(start)
    if (index >= 0) this.#waiting.splice(index, 1)
    return index >= 0
  }

  #start(start: (booted: () => void) => void): void {
    this.#booting++
    let isBooting = true
    const booted = () => {
      if (!isBooting) return
      isBooting = false
      timer.stop()
      this.#booting--
      // Not in the middle of what the thread has to say: starting the next one costs milliseconds.
      setImmediate(() => this.#next()).unref()
    }
    const timer = this.#clock.after(PATIENCE_MS, booted)
    timer.unref()
    start(booted)
  }

  #next(): void {
    while (this.#booting < this.#atOnce) {
      const start = this.#waiting.shift()
      if (start === undefined) return
      this.#start(start)
    }
  }
}
