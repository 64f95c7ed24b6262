/** What is counted and known of a slot, whichever thread fills it. */

import { restartDelayMs } from './back-off.js'

export class SlotRecord {
  completed = 0
  failed = 0
  takenBack = 0
  stalls = 0
  restarts = 0
  /** Threads started so far. */
  starts = 0
  /** Tasks started by threads that have ended. */
  startedBefore = 0
  /** Deaths and failed loads in a row without a finished task between them. */
  failuresToRun = 0
  /** No thread is started before this, ms. */
  startAtMs = 0
  /** The last thread could not load the module: the next is started only when work waits. */
  cannotLoad = false

  /** A thread has ended by itself; returns how long its successor has to wait, ms. */
  ended(isCrash: boolean, cannotLoad: boolean, nowMs: number): number {
    if (isCrash) this.failuresToRun++
    else if (cannotLoad) this.failuresToRun = Math.max(2, this.failuresToRun + 1)
    this.cannotLoad = cannotLoad
    const delayMs = isCrash || cannotLoad ? restartDelayMs(this.failuresToRun) : 0
    this.startAtMs = nowMs + delayMs
    return delayMs
  }
}
