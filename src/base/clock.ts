/**
 * Time, handed in. One monotonic clock serves all threads of the process: `performance.now()` starts at each
 * thread's own zero, so every thread adds the offset to the process-wide `hrtime` once, at start.
 */

/** A timer that can be stopped. */
export interface Timer {
  stop(): void
  /** Lets the process end although the timer runs. */
  unref(): void
}

/** A source of time. */
export interface Clock {
  /** Milliseconds of a monotonic clock that all threads share; about 50 ns a call. */
  nowMs(): number
  /** Calls back once, not earlier than `delayMs` from now. */
  after(delayMs: number, callback: () => void): Timer
  /** Calls back every `periodMs` until stopped. */
  every(periodMs: number, callback: () => void): Timer
}

/** Readings of the offset; each is too small by what passes between its two halves, a millisecond when the thread is put off. */
const OFFSET_READINGS = 5

function readOffsetMs(): number {
  let offsetMs = Number.NEGATIVE_INFINITY
  for (let reading = 0; reading < OFFSET_READINGS; reading++) {
    offsetMs = Math.max(offsetMs, Number(process.hrtime.bigint()) / 1e6 - performance.now())
  }
  return offsetMs
}

const offsetMs = readOffsetMs()

/** Node's largest timer delay; a longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  nowMs: () => performance.now() + offsetMs,
  after(delayMs, callback) {
    const handle = setTimeout(callback, Math.min(delayMs, MAX_TIMER_MS))
    return { stop: () => clearTimeout(handle), unref: () => handle.unref() }
  },
  every(periodMs, callback) {
    const handle = setInterval(callback, periodMs)
    return { stop: () => clearInterval(handle), unref: () => handle.unref() }
  },
}
