/** One accepted task, from `run()` until it settles. */

import type { TransferListItem } from 'node:worker_threads'
import { isMoved, type LaneTask } from '../../engine/lane-task.js'
import type { TaskKind } from '../../protocol/batch.js'
import { CallOptions, type RunOptions } from '../options/run-options.js'
import type { TaskStats } from './task-stats.js'

/**
 * Where a task is. It has one place at a time, whose `Holder` can remove it. Together, the holders have all unsettled
 * tasks.
 *
 * | place         | the task                                             | who has it        |
 * |---------------|------------------------------------------------------|-------------------|
 * | `none`        | has just come in, or a worker is being chosen for it | nobody            |
 * | `delay`       | has its start, or its next attempt, put off          | Delays            |
 * | `gate`        | waits until a gate lets it pass                      | GateKeeper        |
 * | `queue`       | waits for any worker                                 | CentralQueues     |
 * | `reservation` | waits for one worker to be idle: it moves objects    | KeptTasks         |
 * | `backlog`     | is given to one worker, which cannot take it yet     | KeptTasks         |
 * | `lane`        | is posted to a worker, or runs there                 | the worker's Lane |
 * | `settled`     | is over, for good                                    | nobody            |
 */
export type Place = 'none' | 'delay' | 'gate' | 'queue' | 'reservation' | 'backlog' | 'lane' | 'settled'

/** Where a task may go from each place. `settled` is possible from every place. */
export const ARROWS: Readonly<Record<Place, readonly Place[]>> = {
  none: ['delay', 'gate', 'queue', 'reservation', 'backlog', 'lane', 'settled'],
  // To `none` for a first start, to `queue` and `gate` for a next attempt.
  delay: ['none', 'queue', 'gate', 'settled'],
  gate: ['queue', 'settled'],
  // To `gate`, when it makes way for a task that comes before it.
  queue: ['none', 'gate', 'settled'],
  reservation: ['lane', 'backlog', 'queue', 'gate', 'settled'],
  backlog: ['lane', 'queue', 'gate', 'settled'],
  // To `queue` and `gate` when it is taken back, to `delay` for a next attempt.
  lane: ['queue', 'gate', 'delay', 'settled'],
  settled: [],
}

/** The places that hold tasks. */
export type HeldPlace = Exclude<Place, 'none' | 'settled'>

/** Holds the tasks of one place. */
export interface Holder {
  /** Removes the task, which must be there. */
  remove(task: Task): void
  /** The current task may be removed during the iteration. */
  [Symbol.iterator](): Iterator<Task>
}

export type Holders = Readonly<Record<HeldPlace, Holder>>

/** Options of `run`, and options of the dispatcher's own calls. */
export interface TaskOptions extends RunOptions {
  /** The one worker that may run the task. */
  readonly slot?: number
  /** Called with each item of a task that yields items. */
  readonly onItem?: (item: unknown) => void
}

/**
 * A task is costly to send when posting took longer than this, µs: sending it again costs more than another worker
 * would gain. A text of 1 MB takes 50 to 100. With a limit of 100, 200 such texts on four workers and two processors
 * took 1.2 times the processor time of a run without take-back; with 40, 1.0 to 1.1.
 */
const COSTLY_US = 40

/** Whether the last sending of the task took long. */
export function isCostly(task: Task): boolean {
  return task.repostUs > COSTLY_US
}

/** Whether the task waits only for a worker. */
export function waitsForWorker({ place }: Task): boolean {
  return place === 'queue' || place === 'reservation'
}

/** A copy of checked options, or of the dispatcher's own. */
export function copyOptions(...given: readonly TaskOptions[]): TaskOptions {
  return Object.assign(new CallOptions(), ...given)
}

export class Task implements LaneTask {
  previous: LaneTask | undefined = undefined
  next: LaneTask | undefined = undefined
  key = -1
  expectedMs = 0
  payloadBytes = 0
  repostUs = 0
  takenBack = 0
  travelsAlone = false
  attempt = 1
  /** When it was last posted, ms; 0 if response times are not used. */
  postedMs = 0
  place: Place = 'none'
  /** The queue it waits in: its kind may become known while it waits. */
  queuedAs: TaskKind = 'cpu'
  /** What the ledger counts it as. */
  countedAs: TaskKind
  /** Slot of the worker that holds the task while it is posted, or is reserved for it; else -1. */
  slot = -1
  /** Set once the task was asked to end: it rejects with this, whatever it returns. */
  ending: unknown = undefined
  /**
   * Set when the task was asked to end after its attempt had finished, but before its answer was read. The answer
   * counts. But instead of a next attempt the task rejects with this.
   */
  endInsteadOfRetry: unknown = undefined
  /** Place in the heap of time limits, or -1. */
  limitIndex = -1
  limitDueMs = 0
  /** How many workers died while they ran this task. */
  crashes = 0
  /** Set by the promise's executor, before anything can settle the task. */
  resolve!: (value: unknown) => void
  reject!: (reason: unknown) => void
  readonly stats: TaskStats
  readonly payload: unknown
  /** The task's own copy, never changed. */
  readonly options: TaskOptions
  /** Not to be changed while a queue holds the task. */
  priority: number
  /** Time of submission, or of the delayed start. Limits and ageing count from here. */
  submittedMs: number
  /** The order of submission: grows with every task that comes to wait. */
  sequence: number

  constructor(stats: TaskStats, payload: unknown, options: TaskOptions, submittedMs: number, sequence: number) {
    this.stats = stats
    this.countedAs = stats.kind
    this.payload = payload
    this.options = options
    this.priority = options.priority ?? 0
    this.submittedMs = submittedMs
    this.sequence = sequence
  }

  get name(): string {
    return this.stats.name
  }

  get kind() {
    return this.stats.kind
  }

  /** Whether any time limit is set. */
  get limited(): boolean {
    const { runTimeoutMs, queueTimeoutMs, deadlineMs } = this.options
    return runTimeoutMs !== undefined || queueTimeoutMs !== undefined || deadlineMs !== undefined
  }

  get transfer(): readonly TransferListItem[] | undefined {
    return this.options.transfer
  }

  /** Whether its worker may hold no other task. */
  get exclusive(): boolean {
    return this.options.exclusive === true
  }

  get wantsItems(): boolean {
    return this.options.onItem !== undefined
  }

  get staysPut(): boolean {
    return isMoved(this) || this.options.slot !== undefined
  }

  get wantsProgress(): boolean {
    return this.options.onProgress !== undefined
  }
}
