/** Counts of a pool's events: figures that no snapshot has. */

import type { Clock } from '../base/clock.js'
import type { ExitReason } from '../dispatcher/options/events.js'
import type { ObservedPool } from './observed-pool.js'
import { listen } from './observed-pool.js'

/** Counts from its construction on. Events are rare, so listening costs a pool next to nothing. */
export class EventTally {
  /** Exits of workers. Every reason has its number at all times. */
  readonly exits: Record<ExitReason, number> = {
    idle: 0,
    recycle: 0,
    crash: 0,
    oom: 0,
    timeout: 0,
    load: 0,
    shutdown: 0,
  }
  /** How often all workers were overloaded or underloaded for the hold time. */
  overloads = 0
  underloads = 0
  /** How often a full queue had room again. */
  drains = 0
  readonly #clock: Clock
  readonly #unlisten: () => void
  /** Total length of the stalls that are over, ms, by slot. */
  readonly #stalledMs = new Map<number, number>()
  /** Start of each stall that still lasts, ms, by slot. */
  readonly #stalledSinceMs = new Map<number, number>()

  constructor(pool: ObservedPool, clock: Clock) {
    this.#clock = clock
    this.#unlisten = listen(pool, {
      stall: ({ slot }) => this.#stalledSinceMs.set(slot, this.#clock.nowMs()),
      recover: ({ slot }) => this.#endStall(slot),
      exit: ({ slot, reason }) => {
        this.#endStall(slot)
        this.exits[reason]++
      },
      overload: () => this.overloads++,
      underload: () => this.underloads++,
      drain: () => this.drains++,
    })
  }

  /** How long the worker of the slot has been stalled in total, ms, including a stall that still lasts. */
  stalledMs(slot: number): number {
    const sinceMs = this.#stalledSinceMs.get(slot)
    const lastsMs = sinceMs === undefined ? 0 : this.#clock.nowMs() - sinceMs
    return (this.#stalledMs.get(slot) ?? 0) + lastsMs
  }

  close(): void {
    this.#unlisten()
  }

  #endStall(slot: number): void {
    const totalMs = this.stalledMs(slot)
    if (this.#stalledSinceMs.delete(slot)) this.#stalledMs.set(slot, totalMs)
  }
}
