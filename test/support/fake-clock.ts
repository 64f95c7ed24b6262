import type { ProcessClock, Timer } from '../../src/base/clock.js'

interface Due {
  atMs: number
  readonly order: number
  readonly periodMs: number | undefined
  readonly callback: () => void
  holds: boolean
}

/** More callbacks than this at one moment mean a timer that starts itself again without delay. */
const MAX_AT_ONCE = 10_000

/** A clock whose time stands still until `advance` moves it on, calling back whatever comes due on the way. */
export class FakeClock implements ProcessClock {
  #nowMs: number
  #order = 0
  readonly #due = new Set<Due>()
  #processorMs = 0

  constructor(nowMs = 1_000) {
    this.#nowMs = nowMs
  }

  /** Timers that run. */
  get timers(): number {
    return this.#due.size
  }

  /** Timers that run and hold the process. */
  get holding(): number {
    return [...this.#due].filter((due) => due.holds).length
  }

  nowMs(): number {
    return this.#nowMs
  }

  /** Grows by what `block` says, and in no other way. */
  processorMs(): number {
    return this.#processorMs
  }

  after(delayMs: number, callback: () => void): Timer {
    return this.#add(delayMs, undefined, callback)
  }

  every(periodMs: number, callback: () => void): Timer {
    return this.#add(periodMs, periodMs, callback)
  }

  /** Callbacks run in the order of their due times, each at its own time. */
  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs
    let atOnce = 0
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      atOnce = next.atMs > this.#nowMs ? 0 : atOnce + 1
      if (atOnce > MAX_AT_ONCE) throw new Error(`a timer spins at ${this.#nowMs} ms`)
      this.#nowMs = next.atMs
      if (next.periodMs === undefined) this.#due.delete(next)
      else next.atMs += next.periodMs
      next.callback()
    }
    this.#nowMs = untilMs
  }

  /** The loop computes and does not turn: timers that came due meanwhile fire once, late, at the next `advance`. */
  block(forMs: number): void {
    this.#processorMs += forMs
    this.stop(forMs)
  }

  /** The process stands still, and uses no processor: else like `block`. */
  stop(forMs: number): void {
    this.#nowMs += forMs
    for (const due of this.#due) due.atMs = Math.max(due.atMs, this.#nowMs)
  }

  #add(delayMs: number, periodMs: number | undefined, callback: () => void): Timer {
    const due: Due = { atMs: this.#nowMs + delayMs, order: this.#order++, periodMs, callback, holds: true }
    this.#due.add(due)
    return {
      stop: () => this.#due.delete(due),
      unref: () => {
        due.holds = false
      },
    }
  }

  #next(untilMs: number): Due | undefined {
    let next: Due | undefined
    for (const due of this.#due) {
      if (due.atMs > untilMs) continue
      if (next === undefined || due.atMs < next.atMs || (due.atMs === next.atMs && due.order < next.order)) next = due
    }
    return next
  }
}
