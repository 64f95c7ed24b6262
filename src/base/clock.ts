/**
 * Time as a parameter. One monotonic clock serves all threads of the process. `performance.now()` starts at 0 in each
 * thread, so every thread measures its offset to the process-wide `hrtime` once, at start.
 */

import { clearInterval, clearTimeout, performanceNow, setInterval, setTimeout } from './timers.js'

/** A timer that can be stopped. */
export interface Timer {
  stop(): void
  /** Lets the process end while the timer runs. */
  unref(): void
}

/** A source of time. */
export interface Clock {
  /** Milliseconds of a monotonic clock that all threads share; about 40 ns a call. */
  nowMs(): number
  /** Calls back once, not earlier than `delayMs` from now. Never for `Infinity`. */
  after(delayMs: number, callback: () => void): Timer
  /** Calls back every `periodMs` until stopped. */
  every(periodMs: number, callback: () => void): Timer
}

/** A clock that also measures the process's CPU time. */
export interface ProcessClock extends Clock {
  /** CPU time that all threads of the process have used so far, ms. About 1 µs a call. */
  processorMs(): number
}

/**
 * Readings of the offset, of which the largest counts. Each is too small by the time between its two clock readings.
 */
const OFFSET_READINGS = 5

function readOffsetMs(): number {
  let offsetMs = Number.NEGATIVE_INFINITY
  for (let reading = 0; reading < OFFSET_READINGS; reading++) {
    offsetMs = Math.max(offsetMs, Number(process.hrtime.bigint()) / 1e6 - performanceNow())
  }
  return offsetMs
}

const offsetMs = readOffsetMs()

/** Node's largest timer delay; a longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1

const nowMs = () => performanceNow() + offsetMs

/** A delay longer than Node's longest timer, as a chain of timers. */
function afterLong(delayMs: number, callback: () => void): Timer {
  const dueMs = nowMs() + delayMs
  let holds = true
  let handle: NodeJS.Timeout
  const arm = (leftMs: number): void => {
    const last = leftMs <= MAX_TIMER_MS
    handle = setTimeout(last ? callback : () => arm(dueMs - nowMs()), last ? leftMs : MAX_TIMER_MS)
    if (!holds) handle.unref()
  }
  arm(delayMs)
  return {
    stop: () => clearTimeout(handle),
    unref: () => {
      holds = false
      handle.unref()
    },
  }
}

export const systemClock: ProcessClock = {
  nowMs,
  processorMs() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
  after(delayMs, callback) {
    if (delayMs > MAX_TIMER_MS) return afterLong(delayMs, callback)
    const handle = setTimeout(callback, delayMs)
    return { stop: () => clearTimeout(handle), unref: () => handle.unref() }
  },
  every(periodMs, callback) {
    const handle = setInterval(callback, Math.min(periodMs, MAX_TIMER_MS))
    return { stop: () => clearInterval(handle), unref: () => handle.unref() }
  },
}
