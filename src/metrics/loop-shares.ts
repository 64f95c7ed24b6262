/** How busy the event loops of the workers are, from what Node counts of each thread. */

import type { WorkerSnapshot } from '../dispatcher/snapshot.js'

/** Readings kept at most per window. */
const READINGS = 8

interface Reading {
  readonly atMs: number
  readonly threadId: number
  readonly activeMs: number
  readonly idleMs: number
}

/**
 * Keeps the reading of each worker from about a window ago. Readings are taken when somebody asks, an eighth of a window
 * apart at least, so any number of scrapers see the same stretch; the first sees all of the thread's life.
 */
export class LoopShares {
  readonly #windowMs: number
  /** By slot, oldest first; the oldest is where the window begins. */
  readonly #readings = new Map<number, Reading[]>()

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Share of the window that the worker's event loop was busy, 0..1; 0 without a thread. O(1). */
  of({ slot, threadId, loopActiveMs, loopIdleMs }: WorkerSnapshot, nowMs: number): number {
    const now: Reading = { atMs: nowMs, threadId, activeMs: loopActiveMs, idleMs: loopIdleMs }
    let readings = this.#readings.get(slot)
    if (readings === undefined || readings[0]!.threadId !== threadId) {
      // Node counts from zero in each thread.
      readings = [{ atMs: nowMs, threadId, activeMs: 0, idleMs: 0 }]
      this.#readings.set(slot, readings)
    }
    while (readings.length > 1 && nowMs - readings[1]!.atMs >= this.#windowMs) readings.shift()
    const share = shareBetween(readings[0]!, now)
    if (nowMs - readings.at(-1)!.atMs >= this.#windowMs / READINGS) readings.push(now)
    return share
  }
}

/** The differences can be negative for an idle thread (nodejs/node#40525). */
function shareBetween(from: Reading, to: Reading): number {
  const activeMs = to.activeMs - from.activeMs
  const totalMs = activeMs + to.idleMs - from.idleMs
  return totalMs > 0 ? Math.min(1, Math.max(0, activeMs / totalMs)) : 0
}
