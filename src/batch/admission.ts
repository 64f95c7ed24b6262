/**
 * Decides when the next record may start: a rate, and gates that are polled (load, memory). Both work through
 * one p-queue: it meters the rate, and it is paused while a gate is shut. A run with neither has no admission, so that
 * nothing of this lies on the path of a record.
 */

import PQueue from 'p-queue'
import type { Clock, Timer } from '../base/clock.js'

/** Something that may hold records back, such as a memory limit. */
export interface AdmissionGate {
  readonly name: string
  /** Why nothing may start now, or `undefined`. Called every poll. */
  closedBecause(): Promise<string | undefined>
}

export interface AdmissionOptions {
  /** Most starts per second. */
  readonly perSecond: number | undefined
  readonly gates: readonly AdmissionGate[]
  readonly clock: Clock
  readonly pollMs?: number
}

/** Rates are kept over tenths of a second, so a second's starts do not come in one burst. */
const SLICE_MS = 100
const POLL_MS = 500

export class Admission {
  /** Why nothing is started at the moment. */
  heldBy: string | undefined
  readonly #queue: PQueue
  readonly #gates: readonly AdmissionGate[]
  readonly #timer: Timer | undefined
  #isPolling = false

  constructor({ perSecond, gates, clock, pollMs = POLL_MS }: AdmissionOptions) {
    this.#gates = gates
    this.#queue = new PQueue(perSecond === undefined ? {} : rateOf(perSecond))
    if (gates.length === 0) return
    this.#timer = clock.every(pollMs, () => void this.poll())
    this.#timer.unref()
  }

  /** Waits until one more record may start. */
  async admit(): Promise<void> {
    await this.#queue.add(() => undefined)
  }

  /** Looks at the gates once; a gate that cannot be read counts as open. */
  async poll(): Promise<void> {
    if (this.#isPolling) return
    this.#isPolling = true
    try {
      const reasons = await Promise.all(this.#gates.map((gate) => gate.closedBecause().catch(() => undefined)))
      this.heldBy = reasons.find((reason) => reason !== undefined)
      if (this.heldBy === undefined) this.#queue.start()
      else this.#queue.pause()
    } finally {
      this.#isPolling = false
    }
  }

  /** Lets everybody in who still waits; nothing is held any more. */
  close(): void {
    this.#timer?.stop()
    this.heldBy = undefined
    this.#queue.start()
  }
}

function rateOf(perSecond: number): { intervalCap: number; interval: number } {
  if (perSecond * SLICE_MS >= 1000) {
    const intervalCap = Math.round((perSecond * SLICE_MS) / 1000)
    return { intervalCap, interval: (intervalCap * 1000) / perSecond }
  }
  return { intervalCap: 1, interval: 1000 / perSecond }
}
