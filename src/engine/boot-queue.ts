/**
 * Limits how many threads of this process boot at the same time. Booting takes CPU time: eight threads that boot
 * together on two cores are all ready after 100 ms. Two at a time, the first is ready after 30 ms and the last no
 * later.
 */

import type { Clock } from '../base/clock.js'
import { setImmediate } from '../base/timers.js'

/** Longest wait for one thread's boot, ms. A preload of the user's may wait for something. */
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

  /**
   * Calls `start` now or at its turn. `start` must see to it that `booted` is called when the thread is up, or gone.
   */
  enter(start: (booted: () => void) => void): void {
    if (this.#booting < this.#atOnce) this.#start(start)
    else this.#waiting.push(start)
  }

  /** Removes `start` from the queue. False when it was called already. */
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
      // Later, because starting the next thread takes milliseconds, and this one's messages come first.
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
