/** How accepted tasks end, each exactly once: by an answer, by the loss of the worker, or early. */

import type { Clock } from '../../base/clock.js'
import { EvenkeelError } from '../../base/errors.js'
import type { RandomSource } from '../../base/random.js'
import type { Lane } from '../../engine/lane.js'
import type { ExitCause } from '../../engine/supervisor.js'
import { decodeError, type WireError } from '../../protocol/error-transfer.js'
import type { Crew } from '../crew/crew.js'
import { FailureRecord } from '../crew/failure-record.js'
import type { PoolWorker } from '../crew/pool-worker.js'
import { reasonOf } from '../crew/thread-ends.js'
import type { ResolvedOptions } from '../options/options.js'
import { NO_OPTIONS } from '../options/run-options.js'
import type { Delays } from '../places/delays.js'
import type { Gate, GateKeeper } from '../places/gates.js'
import type { RouterEvents } from '../routing/router.js'
import type { TakeBack } from '../routing/take-back.js'
import type { WorkerView } from '../routing/worker-view.js'
import type { HeldPlace, Holders, Task } from '../tasks/task.js'
import type { FailureKind, TaskNames, TaskOutcome } from '../tasks/task-stats.js'
import { EarlyEnds, type Ender } from './early-ends.js'
import type { Ledger } from './ledger.js'
import { lossesOf, unknownTaskError, unplacedError } from './losses.js'
import { Retries, tellEarlier } from './retries.js'

export interface SettlementParts {
  readonly options: Pick<ResolvedOptions, 'moduleUrl' | 'graceMs'>
  readonly crew: Crew
  readonly names: TaskNames
  readonly ledger: Ledger
  readonly delays: Delays
  readonly view: WorkerView
  readonly clock: Clock
  readonly random: RandomSource
  /** Receives errors that belong to no task. */
  readonly unowned: (error: unknown) => void
}

/** Parts that need the settlement, and so are created after it. They are used only once a task was accepted. */
export interface SettlementLinks {
  readonly holders: Holders
  readonly gates: GateKeeper
  readonly takeBack: TakeBack
}

export class Settlement implements RouterEvents, Ender {
  readonly earlyEnds: EarlyEnds
  readonly #parts: SettlementParts
  readonly #retries: Retries
  readonly #failures: FailureRecord
  #links!: SettlementLinks

  constructor(parts: SettlementParts) {
    const { crew, options, clock, delays, random } = parts
    this.#parts = parts
    this.#retries = new Retries(delays, random)
    this.#failures = new FailureRecord(crew.workers)
    this.earlyEnds = new EarlyEnds(crew.workers, options.graceMs, clock, this, crew)
  }

  connect(links: SettlementLinks): void {
    this.#links = links
  }

  // News of the router.

  unknownTask(task: Task): void {
    const { options, names } = this.#parts
    this.reject(task, unknownTaskError(task, options.moduleUrl, names.offered))
  }

  unplaced(task: Task): void {
    this.reject(task, unplacedError(task))
  }

  posted(task: Task): void {
    if (task.limited) this.earlyEnds.posted(task)
    if (task.options.gate !== undefined) this.#gateOf(task.options.gate).posted(task)
  }

  gated(task: Task): void {
    this.#gateOf(task.options.gate!).putBack(task)
  }

  #gateOf(name: string): Gate {
    return this.#links.gates.of(name)
  }

  resolve(task: Task, value: unknown): void {
    if (task.options !== NO_OPTIONS) this.#forget(task)
    this.#parts.ledger.resolve(task, value)
  }

  reject(task: Task, reason: unknown, outcome?: TaskOutcome): void {
    if (task.options !== NO_OPTIONS) {
      this.#forget(task)
      tellEarlier(task, reason)
    }
    this.#parts.ledger.reject(task, reason, outcome)
  }

  #forget(task: Task): void {
    this.earlyEnds.forget(task)
    if (task.options.gate !== undefined) this.#gateOf(task.options.gate).leave(task)
  }

  #hasStarted(task: Task): void {
    if (task.options.gate !== undefined) this.#gateOf(task.options.gate).started(task)
  }

  /** True when the task will be tried again. While it waits for that, it has no pass of its gate. */
  #retry(task: Task, failure: FailureKind, error: unknown): boolean {
    if (!this.#retries.retry(task, failure, error)) return false
    if (task.options.gate !== undefined) this.#gateOf(task.options.gate).leave(task)
    return true
  }

  /** The worker answered: `startedAt` in ms, `runUs` in µs. */
  answered(worker: PoolWorker, task: Task, ok: boolean, value: unknown, startedAt: number, runUs: number): void {
    const { view, clock } = this.#parts
    this.#hasStarted(task)
    task.stats.record(runUs, ok)
    if (view.weighted && task.postedMs > 0) view.answeredAfter(worker, clock.nowMs() - task.postedMs)
    task.stats.tally.waitTimes.record((startedAt - task.submittedMs) * 1000)
    worker.finishedInLife++
    if (ok) {
      worker.record.completed++
      if (worker.failureShare > 0) this.#failures.succeeded(worker)
      if (worker.windowLimit !== Number.POSITIVE_INFINITY) worker.rampUp()
      // A task that was asked to end rejects, even if it returns a value.
      if (task.ending === undefined) this.resolve(task, value)
      else this.reject(task, task.ending)
      return
    }
    worker.record.failed++
    const { serviceMs } = task.stats
    const isEjected = this.#failures.failed(worker, serviceMs, runUs / 1000, clock.nowMs())
    if (isEjected) this.#links.takeBack.takeAll(worker, true)
    const error = task.ending === undefined ? thrownBy(task, value as WireError) : task.ending
    if (this.#retry(task, 'thrown', error)) return
    if (task.ending === undefined) this.reject(task, error, 'error')
    else this.reject(task, task.ending)
  }

  /**
   * The thread has ended, its answers were read, and its unstarted tasks have moved on. Started tasks reject, the
   * culprit with what it did, the others as bystanders, or are tried again.
   */
  lost(worker: PoolWorker, lane: Lane<Task>, cause: ExitCause): void {
    const losses = lossesOf(worker, lane, cause)
    for (const { task, error, isCulprit } of losses) {
      lane.abandon(task)
      if (isCulprit) task.crashes++
      this.#hasStarted(task)
      if (!this.#retry(task, 'worker-loss', error))
        this.reject(task, task.ending ?? this.#retries.finalError(task, error))
    }
    const reason = reasonOf(worker, cause)
    const hasOwner = losses.some((loss) => loss.isCulprit)
    if (reason !== undefined && !worker.endExpected && !hasOwner) this.#parts.unowned(reason)
  }

  /** Takes the task out of its place. */
  remove(task: Task): void {
    const { place } = task
    if (place !== 'none' && place !== 'settled') this.#links.holders[place].remove(task)
  }

  /** Rejects every task in the central queue, or on its way there. */
  rejectQueued(errorFor: (task: Task) => Error): void {
    // Tasks at gates first, because each end of a task that has passed lets another in.
    this.#rejectIn('gate', errorFor)
    this.#rejectIn('queue', errorFor)
  }

  /** Rejects every unsettled task, wherever it is. */
  rejectAll(errorFor: (task: Task) => Error): void {
    this.rejectQueued(errorFor)
    for (const place of ['delay', 'reservation', 'backlog', 'lane'] as const) this.#rejectIn(place, errorFor)
  }

  #rejectIn(place: HeldPlace, errorFor: (task: Task) => Error): void {
    const holder = this.#links.holders[place]
    for (const task of holder) {
      holder.remove(task)
      this.reject(task, errorFor(task))
    }
  }
}

/** The error that the task threw. An error of evenkeel's own from inside the worker gets the task's name here. */
function thrownBy(task: Task, wire: WireError): unknown {
  const thrown = decodeError(wire)
  return thrown instanceof EvenkeelError && thrown.code === 'EVENKEEL_CLONE' && thrown.task === undefined
    ? Object.assign(thrown, { task: task.name })
    : thrown
}
