/** The gates of a dispatcher by name. */

import { OptionRangeError } from '../base/errors.js'
import { Gate } from './gate.js'
import type { GateOptions } from './gate-options.js'
import type { Task } from './task.js'

export interface GateKeeperEvents {
  /** It is the task's turn. */
  passed(task: Task): void
  /** p-queue cannot be loaded. */
  failed(task: Task, error: unknown): void
}

/** Loaded by the first task that comes to a gate: who has none pays nothing for it. */
async function loadLimiter() {
  return (await import('p-queue')).default
}

export class GateKeeper {
  readonly #options: ReadonlyMap<string, GateOptions>
  readonly #gates: ReadonlyMap<string, Gate>
  readonly #events: GateKeeperEvents
  readonly #load: typeof loadLimiter
  #loading = false

  constructor(
    options: ReadonlyMap<string, GateOptions>,
    ageMs: number,
    events: GateKeeperEvents,
    load: typeof loadLimiter = loadLimiter,
  ) {
    this.#options = options
    this.#gates = new Map([...options.keys()].map((name) => [name, new Gate(ageMs, events.passed)]))
    this.#events = events
    this.#load = load
  }

  /** Throws when there is no gate of this name. */
  check(name: string): void {
    if (this.#gates.has(name)) return
    throw new OptionRangeError('gate', `no gate "${name}"; known are ${[...this.#gates.keys()].join(', ') || 'none'}`)
  }

  enter(task: Task): void {
    this.#of(task).enter(task)
    if (this.#loading) return
    this.#loading = true
    void this.#open()
  }

  remove(task: Task): void {
    this.#of(task).remove(task)
  }

  leave(task: Task): void {
    this.#of(task).leave(task)
  }

  /** Gives tasks that wait at gates, in their order of submission, another priority. */
  reprioritise(tasks: readonly Task[], priority: number): void {
    for (const gate of this.#gates.values()) {
      gate.waiting.reprioritise(
        tasks.filter((task) => this.#of(task) === gate),
        priority,
      )
    }
  }

  /** Tasks that wait at any gate. */
  get waiting(): Task[] {
    return [...this.#gates.values()].flatMap(({ waiting }) => [...waiting])
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
      for (const [name, gate] of this.#gates) {
        const { concurrency, intervalCap, intervalMs } = this.#options.get(name)!
        gate.open(
          new Limiter({
            ...(concurrency !== undefined && { concurrency }),
            // Strict: in any stretch of that length. Its fixed windows let a queue that was idle have two caps at once.
            ...(intervalCap !== undefined && { intervalCap, interval: intervalMs!, strict: true }),
          }),
        )
      }
    } catch (error) {
      this.#loading = false
      for (const task of this.waiting) {
        this.remove(task)
        this.#events.failed(task, error)
      }
    }
  }

  #of(task: Task): Gate {
    return this.#gates.get(task.options.gate!)!
  }
}
