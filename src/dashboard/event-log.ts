/** The latest events of a pool, numbered, for people to read. */

import type { Clock } from '../base/clock.js'
import type { ExitEvent, PressureNotice, RecoverEvent, RestartEvent, StallEvent } from '../dispatcher/events.js'
import type { ObservedPool } from '../metrics/observed-pool.js'

/** The most events that are kept. */
export const MAX_EVENTS = 200

export interface LoggedEvent {
  /** Rises by one with every event. */
  readonly id: number
  /** When it came, ms of the monotonic clock. */
  readonly atMs: number
  readonly kind: 'stall' | 'recover' | 'exit' | 'restart' | 'overload' | 'underload'
  /** The worker it is about; -1 when it is about all of them. */
  readonly slot: number
  readonly text: string
}

/** Listens from the moment it is made. Events are rare, so this costs a running pool nothing. */
export class EventLog {
  readonly #pool: ObservedPool
  readonly #clock: Clock
  readonly #events: LoggedEvent[] = []
  #lastId = 0

  constructor(pool: ObservedPool, clock: Clock) {
    this.#pool = pool
    this.#clock = clock
    pool.on('stall', this.#onStall)
    pool.on('recover', this.#onRecover)
    pool.on('exit', this.#onExit)
    pool.on('restart', this.#onRestart)
    pool.on('overload', this.#onOverload)
    pool.on('underload', this.#onUnderload)
  }

  /** Number of the latest event; 0 before the first. */
  get lastId(): number {
    return this.#lastId
  }

  /** The kept events with a larger number, oldest first. */
  since(id: number): LoggedEvent[] {
    const first = this.#lastId - this.#events.length
    return this.#events.slice(Math.max(0, id - first))
  }

  close(): void {
    this.#pool.off('stall', this.#onStall)
    this.#pool.off('recover', this.#onRecover)
    this.#pool.off('exit', this.#onExit)
    this.#pool.off('restart', this.#onRestart)
    this.#pool.off('overload', this.#onOverload)
    this.#pool.off('underload', this.#onUnderload)
  }

  readonly #onStall = ({ slot, task, silentMs }: StallEvent): void => {
    const culprit = task === undefined ? '' : ` in task "${task}"`
    this.#add('stall', slot, `no sign of life for ${Math.round(silentMs)} ms${culprit}`)
  }

  readonly #onRecover = ({ slot, stalledMs }: RecoverEvent): void => {
    this.#add('recover', slot, `answers again after ${Math.round(stalledMs)} ms`)
  }

  readonly #onExit = ({ slot, exitCode, expected, error }: ExitEvent): void => {
    const cause = error instanceof Error ? error.message : `exit code ${exitCode}`
    this.#add('exit', slot, expected ? 'thread ended' : `thread died: ${cause}`)
  }

  readonly #onRestart = ({ slot, restarts, delayMs }: RestartEvent): void => {
    this.#add('restart', slot, `thread started again (${restarts}), put off ${Math.round(delayMs)} ms`)
  }

  readonly #onOverload = ({ workers, queued }: PressureNotice): void => {
    this.#add('overload', -1, `all ${workers} workers overloaded, ${queued} tasks queued`)
  }

  readonly #onUnderload = ({ workers, queued }: PressureNotice): void => {
    this.#add('underload', -1, `all ${workers} workers well below capacity, ${queued} tasks queued`)
  }

  #add(kind: LoggedEvent['kind'], slot: number, text: string): void {
    this.#events.push({ id: ++this.#lastId, atMs: this.#clock.nowMs(), kind, slot, text })
    if (this.#events.length > MAX_EVENTS) this.#events.shift()
  }
}
