/** The gates of a dispatcher by name. */

import type { Clock } from '../../base/clock.js'
import { OptionRangeError } from '../../base/errors.js'
import type { GateOptions } from '../options/gate-options.js'
import type { Holder, Task } from '../tasks/task.js'
import { Gate, type GateEvents } from './gates.js'

export interface GateKeeperEvents extends GateEvents {
  /** p-queue cannot be loaded. */
  failed(task: Task, error: unknown): void
}

/** Loaded by the first task that comes to a gate: who has none pays nothing for it. */
async function loadLimiter() {
  return (await import('p-queue')).default
}

export class GateKeeper implements Holder {
  readonly #gates: ReadonlyMap<string, Gate>
  readonly #events: GateKeeperEvents
  readonly #load: typeof loadLimiter
  #loading = false

  constructor(
    options: ReadonlyMap<string, GateOptions>,
    ageMs: number,
    clock: Clock,
    events: GateKeeperEvents,
    load: typeof loadLimiter = loadLimiter,
  ) {
    this.#gates = new Map([...options].map(([name, limits]) => [name, new Gate(limits, ageMs, clock, events)]))
    this.#events = events
    this.#load = load
  }

  /** The gate of this name; throws when there is none. */
  of(name: string): Gate {
    const gate = this.#gates.get(name)
    if (gate !== undefined) return gate
    throw new OptionRangeError('gate', `no gate "${name}"; known are ${[...this.#gates.keys()].join(', ') || 'none'}`)
  }

  enter(task: Task): void {
    this.of(task.options.gate!).enter(task)
    if (this.#loading) return
    this.#loading = true
    void this.#open()
  }

  /** Gives tasks that wait at gates, in their order of submission, another priority. */
  reprioritise(tasks: readonly Task[], priority: number): void {
    for (const gate of this.#gates.values()) {
      const own = tasks.filter((task) => this.of(task.options.gate!) === gate)
      gate.reprioritise(own, priority)
    }
  }

  /** Looks for tasks that have started. */
  look(): void {
    for (const gate of this.#gates.values()) gate.look()
  }

  /** Takes out a task that waits at its gate. */
  remove(task: Task): void {
    this.of(task.options.gate!).remove(task)
  }

  /** Tasks that wait at any gate. */
  *[Symbol.iterator](): IterableIterator<Task> {
    for (const { waiting } of this.#gates.values()) yield* waiting
  }

  /** How many those are. */
  get size(): number {
    let size = 0
    for (const { waiting } of this.#gates.values()) size += waiting.size
    return size
  }

  async #open(): Promise<void> {
    try {
      const Limiter = await this.#load()
      for (const gate of this.#gates.values()) gate.open(Limiter)
    } catch (error) {
      this.#loading = false
      for (const task of [...this]) {
        this.remove(task)
        this.#events.failed(task, error)
      }
    }
  }
}
