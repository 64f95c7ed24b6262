/** One accepted task, from `run()` until it settles. */

import type { TransferListItem } from 'node:worker_threads'
import { isMoved, type LaneTask } from '../../engine/lane-task.js'
import type { TaskKind } from '../../protocol/batch.js'
import { CallOptions, type RunOptions } from '../options/run-options.js'
import type { TaskStats } from './task-stats.js'

/**
 * Where a task is. It has one place at a time; whoever has it there can give it up (`Holder`). The places that hold
 * tasks are together the set of the unsettled ones.
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

/** Where a task may go from each place. Any place may lead to `settled`: a task may have to end wherever it is. */
export const ARROWS: Readonly<Record<Place, readonly Place[]>> = {
  none: ['delay', 'gate', 'queue', 'reservation', 'backlog', 'lane', 'settled'],
  // To `none` for a first start, to the others for a next attempt.
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

/** Who has the tasks of one place. */
export interface Holder {
  /** Takes the task out, which is there. */
  remove(task: Task): void
  /** The task that the iteration stands at may be removed meanwhile. */
  [Symbol.iterator](): Iterator<Task>
}

export type Holders = Readonly<Record<HeldPlace, Holder>>

/** What `run` takes, and what only the dispatcher's own calls ask for. */
export interface TaskOptions extends RunOptions {
  /** The one worker that may run the task. */
  readonly slot?: number
  /** Hears each item of a task that yields them. */
  readonly onItem?: (item: unknown) => void
}

/**
 * A message that took longer to post costs more to post again than a place elsewhere is worth, µs. A text of 1 MB takes
 * 50 to 100: with a limit of 100, 200 of them on four workers and two processors took 1.2 times the processor time that
 * they take without take-back, with 40 it is 1.0 to 1.1.
 */
const COSTLY_US = 40

/** Whether sending the task, when that was tried, took long. */
export function isCostly(task: Task): boolean {
  return task.repostUs > COSTLY_US
}

/** Whether nothing but room at a worker is missing. */
export function waitsForWorker({ place }: Task): boolean {
  return place === 'queue' || place === 'reservation'
}

/** A copy of options that are checked, or the dispatcher's own. */
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
  /** When it was last posted, ms; 0 where nobody weighs response times. */
  postedMs = 0
  place: Place = 'none'
  /** The queue it waits in: its kind may become known, while it waits. */
  queuedAs: TaskKind = 'cpu'
  /** What the ledger counts it as. */
  countedAs: TaskKind
  /** Slot of the worker that holds the task while it is posted, or is reserved for it; else -1. */
  slot = -1
  /** Set once the task was asked to end: it rejects with this, whatever it returns. */
  ending: unknown = undefined
  /**
   * Set when it was asked to end after its attempt had finished, the answer not read yet: that answer counts, but in
   * place of a next attempt the task rejects with this.
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
  /** The task's own copy; it stays as it is. */
  readonly options: TaskOptions
  /** Not to be changed while a queue holds the task. */
  priority: number
  /** Time of submission, or of the start that the caller put off; limits and ageing count from here. */
  submittedMs: number
  /** Grows with every task that comes to wait: the order of submission. */
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
