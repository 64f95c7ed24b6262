/** The latest events of a pool, numbered, as text. */

import type { Clock } from '../base/clock.js'
import type { ExitEvent, StallEvent } from '../dispatcher/options/events.js'
import { listen, type ObservedPool } from '../metrics/observed-pool.js'

/** The most events that are kept. */
export const MAX_EVENTS = 200

export interface LoggedEvent {
  /** Grows by 1 with each event. */
  readonly id: number
  /** Time of the event, ms of the monotonic clock. */
  readonly atMs: number
  readonly kind: 'stall' | 'recover' | 'exit' | 'restart' | 'overload' | 'underload'
  /** The slot of its worker; -1 for an event of all workers. */
  readonly slot: number
  readonly text: string
}

/** Listens from its construction on. Events are rare, so this costs a pool next to nothing. */
export class EventLog {
  readonly #clock: Clock
  readonly #unlisten: () => void
  readonly #events: LoggedEvent[] = []
  #lastId = 0

  constructor(pool: ObservedPool, clock: Clock) {
    this.#clock = clock
    this.#unlisten = listen(pool, {
      stall: (event) => this.#add('stall', event.slot, stallText(event)),
      recover: ({ slot, stalledMs }) => this.#add('recover', slot, `answers again after ${Math.round(stalledMs)} ms`),
      exit: (event) => this.#add('exit', event.slot, exitText(event)),
      restart: ({ slot, restarts, delayMs }) =>
        this.#add('restart', slot, `thread started again (${restarts}), put off ${Math.round(delayMs)} ms`),
      overload: ({ workers, queued }) =>
        this.#add('overload', -1, `all ${workers} workers overloaded, ${queued} tasks queued`),
      underload: ({ workers, queued }) =>
        this.#add('underload', -1, `all ${workers} workers well below capacity, ${queued} tasks queued`),
    })
  }

  /** The `id` of the latest event. 0 before the first. */
  get lastId(): number {
    return this.#lastId
  }

  /** The kept events with a larger `id`, oldest first. */
  since(id: number): LoggedEvent[] {
    const first = this.#lastId - this.#events.length
    return this.#events.slice(Math.max(0, id - first))
  }

  close(): void {
    this.#unlisten()
  }

  #add(kind: LoggedEvent['kind'], slot: number, text: string): void {
    this.#events.push({ id: ++this.#lastId, atMs: this.#clock.nowMs(), kind, slot, text })
    if (this.#events.length > MAX_EVENTS) this.#events.shift()
  }
}

function stallText({ task, silentMs }: StallEvent): string {
  const culprit = task === undefined ? '' : ` in task "${task}"`
  return `no sign of life for ${Math.round(silentMs)} ms${culprit}`
}

function exitText({ exitCode, expected, reason, error }: ExitEvent): string {
  if (expected) return `thread ended: ${reason}`
  return `thread died: ${error instanceof Error ? error.message : `exit code ${exitCode}`}`
}
