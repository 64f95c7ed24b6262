/**
 * One gate. Its limits hold at the start of a task, whatever delays it between the gate and the start: a pass is taken
 * before the task may be posted, and is free again when the task settles (`concurrency`), or `intervalMs` after it was
 * seen to have started (`intervalCap`). So at most `intervalCap` tasks have started within the last interval,
 * counting those that hold a pass and have not started. A task that comes back unstarted gives its pass up.
 *
 * p-queue keeps the limits, this file the order: an entry of p-queue is a request for a pass, not a task. The first
 * of the tasks that wait here takes the pass and stands in the central queue, one task at a time. It makes way for a
 * task that comes before it. So priority counts until the task is posted, among all tasks.
 */

import type PQueue from 'p-queue'
import type { Clock, Timer } from '../../base/clock.js'
import { OptionRangeError } from '../../base/errors.js'
import { loadPQueue } from '../../base/packages.js'
import type { GateOptions } from '../options/run-options.js'
import { type Holder, type Task, waitsForWorker } from '../tasks/task.js'
import { CentralQueue } from './central-queue.js'

/** p-queue would read inherited properties, also those of a polluted `Object.prototype`. */
const OWN = Object.freeze({ signal: undefined, timeout: undefined })

export interface GateEvents {
  /** The task has a pass: it goes into the central queue. */
  enter(task: Task): void
  /** The task leaves the place where it waits for a worker. */
  withdraw(task: Task): void
  /** Whether a worker has started the task. */
  isStarted(task: Task): boolean
}

/** A pass: what frees it is the end of the run, and the end of the interval after the start. */
interface Pass {
  readonly leave: () => void
  readonly expire: () => void
  hasStarted: boolean
}

export class Gate {
  readonly waiting: CentralQueue
  readonly #options: GateOptions
  readonly #clock: Clock
  readonly #events: GateEvents
  /** Passes of the task in the central queue, and of posted tasks. */
  readonly #passes = new Map<Task, Pass>()
  /** When passes of started tasks expire, in order. */
  readonly #expiries: { readonly atMs: number; readonly expire: () => void }[] = []
  /** The limit of tasks under way, and of starts in an interval. */
  #limits: readonly [PQueue, PQueue] | undefined
  /** The task in the central queue. */
  #standing: Task | undefined
  #isAsking = false
  #timer: Timer | undefined

  constructor(options: GateOptions, ageMs: number, clock: Clock, events: GateEvents) {
    this.waiting = new CentralQueue(ageMs)
    this.#options = options
    this.#clock = clock
    this.#events = events
  }

  /** Until p-queue is loaded, all tasks wait. */
  open(Limiter: typeof PQueue): void {
    const { concurrency = Number.POSITIVE_INFINITY, intervalCap = Number.POSITIVE_INFINITY } = this.#options
    // Not p-queue's own interval: it counts from the pass, not from the start, and by a clock that can be set back.
    this.#limits = [new Limiter({ ...OWN, concurrency }), new Limiter({ ...OWN, concurrency: intervalCap })]
    this.#advance()
  }

  enter(task: Task): void {
    task.place = 'gate'
    this.waiting.push(task)
    this.#advance()
  }

  /** A task that had passed before: it was taken back unstarted, or waits for its next attempt. */
  putBack(task: Task): void {
    this.leave(task)
    task.place = 'gate'
    this.waiting.putBack(task)
    this.#advance()
  }

  /** Takes out a task that waits here. */
  remove(task: Task): void {
    this.waiting.remove(task)
    this.#stopUnneeded()
  }

  /** The tasks that wait here have changed their priority; maybe other tasks too. */
  reprioritise(tasks: readonly Task[], priority: number): void {
    this.waiting.reprioritise(tasks, priority)
    this.#advance()
  }

  /** The task has left the central queue for a worker. */
  posted(task: Task): void {
    if (task !== this.#standing) return
    this.#standing = undefined
    this.#ask()
  }

  /** The task is known to have started. */
  started(task: Task): void {
    const pass = this.#passes.get(task)
    if (pass === undefined || pass.hasStarted) return
    pass.hasStarted = true
    const { intervalMs } = this.#options
    if (intervalMs === undefined) pass.expire()
    else this.#expiries.push({ atMs: this.#clock.nowMs() + intervalMs, expire: pass.expire })
    this.#expire()
  }

  /** Looks for tasks that have started: their intervals count from now on. */
  look(): void {
    if (this.#options.intervalMs === undefined) return
    for (const [task, pass] of this.#passes) {
      if (!pass.hasStarted && this.#events.isStarted(task)) this.started(task)
    }
  }

  /** The task has settled, or waits for its next attempt. */
  leave(task: Task): void {
    const pass = this.#passes.get(task)
    if (pass === undefined) return
    // Only a running task is asked to end, so it has started.
    if (task.ending !== undefined) this.started(task)
    this.#passes.delete(task)
    if (task === this.#standing) this.#standing = undefined
    if (!pass.hasStarted) pass.expire()
    pass.leave()
    this.#ask()
  }

  /** Moves the first task to the central queue, also in place of another. */
  #advance(): void {
    const first = this.waiting.peek()
    const standing = this.#standing
    if (
      first !== undefined &&
      standing !== undefined &&
      waitsForWorker(standing) &&
      this.waiting.isBefore(first, standing)
    ) {
      this.#events.withdraw(standing)
      this.putBack(standing)
    } else this.#ask()
  }

  /** Requests one pass at a time, as long as a task waits here and none stands in the central queue. */
  #ask(): void {
    if (this.#standing !== undefined || this.waiting.size === 0 || this.#limits === undefined) return
    if (!this.#isAsking) {
      this.#isAsking = true
      const [underWay, starts] = this.#limits
      const passOf = (leave: () => void) =>
        starts.add(() => new Promise<void>((expire) => this.#admit({ leave, expire, hasStarted: false })), OWN)
      void underWay.add(() => new Promise<void>((leave) => void passOf(leave)), OWN)
    }
    this.#expire()
  }

  #admit(pass: Pass): void {
    this.#isAsking = false
    const task = this.waiting.peek()
    if (task === undefined) {
      pass.expire()
      pass.leave()
      return
    }
    this.remove(task)
    this.#passes.set(task, pass)
    this.#standing = task
    this.#events.enter(task)
  }

  /** Frees passes whose interval is over, and sets the timer for the next one while a task waits. */
  #expire(): void {
    const nowMs = this.#clock.nowMs()
    while (this.#expiries.length > 0 && this.#expiries[0].atMs <= nowMs) this.#expiries.shift()!.expire()
    if (this.#timer !== undefined || this.waiting.size === 0 || this.#expiries.length === 0) return
    this.#timer = this.#clock.after(this.#expiries[0].atMs - nowMs, () => {
      this.#timer = undefined
      this.#expire()
    })
  }

  /** A timer that nobody needs would keep the process alive. */
  #stopUnneeded(): void {
    if (this.waiting.size > 0) return
    this.#timer?.stop()
    this.#timer = undefined
  }
}

export interface GateKeeperEvents extends GateEvents {
  /** p-queue cannot be loaded. */
  failed(task: Task, error: unknown): void
}

/** The gates of a dispatcher by name. */
export class GateKeeper implements Holder {
  readonly #gates: ReadonlyMap<string, Gate>
  readonly #events: GateKeeperEvents
  readonly #load: typeof loadPQueue
  #loading = false

  constructor(
    options: ReadonlyMap<string, GateOptions>,
    ageMs: number,
    clock: Clock,
    events: GateKeeperEvents,
    load: typeof loadPQueue = loadPQueue,
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

  /** Tasks that wait at gates have another priority. `tasks` are in the order of submission. */
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

  /** Number of tasks that wait at any gate. */
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
