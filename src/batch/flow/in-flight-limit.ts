/**
 * How many records may be started and not settled. Enough that no worker ever waits, and little more: a run that
 * is asked to stop still has to finish what it started. So the limit follows the speed of the task.
 */

import { STRETCH_RECORDS } from '../../records/stretch-memory.js'

export interface InFlightOptions {
  /** Never fewer. */
  readonly floor: number
  /** Never more, unless records go in stretches. */
  readonly ceiling: number
  readonly workers: number
  /** Tasks that wait in the dispatcher for a worker, or `undefined` when that is not known. */
  readonly queued: () => number | undefined
}

/** Settled records of this many ticks count, so that one bad tick does not starve the workers. */
const TICKS = 4

/**
 * Stretches under way for each worker. A stretch costs this thread a few objects only, so more than what the workers need at
 * once does no harm; with four they ran dry now and then.
 */
const STRETCHES_PER_WORKER = 8

/** A stretch is this much work at most: what lies behind a record that blocks is freed a tick later in any case. */
const STRETCH_MS = 1

/** From the floor of two workers to 64 I/O tasks on each takes three ticks. */
const GROWTH = 4

/** Work for half again as long as a tick. */
const HEADROOM = 1.5

export class InFlightLimit {
  /** How often `tick` is to be called. */
  static readonly tickMs = 50
  current: number
  /** How many records are so short that they are better sent together; 1 while that is not known. */
  stretch = 1
  readonly #options: InFlightOptions
  readonly #settled: number[] = []
  #total = 0

  constructor(options: InFlightOptions) {
    this.#options = options
    this.current = options.floor
  }

  /** Takes in how many records were settled in the whole run so far, and whether records may go in stretches. */
  tick(settledTotal: number, canStretch: boolean): void {
    const { floor, ceiling, workers, queued } = this.#options
    this.#settled.push(settledTotal - this.#total)
    this.#total = settledTotal
    if (this.#settled.length > TICKS) this.#settled.shift()
    const perTick = Math.max(...this.#settled)
    const bySpeed = Math.ceil(perTick * HEADROOM)
    const together = Math.floor((STRETCH_MS * perTick) / (InFlightLimit.tickMs * workers))
    this.stretch = canStretch ? Math.min(STRETCH_RECORDS, Math.max(1, together)) : 1
    const inStretches = this.stretch > 1 ? STRETCHES_PER_WORKER * workers * this.stretch : 0
    // Nothing waits for a worker: there may be workers, or I/O places on them, that nothing was sent to.
    const waiting = queued()
    const bySupply = waiting === undefined || waiting === 0 ? this.current * GROWTH : 0
    this.current = Math.min(Math.max(ceiling, inStretches), Math.max(floor, bySpeed, bySupply))
  }
}
