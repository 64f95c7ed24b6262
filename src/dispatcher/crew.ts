/**
 * The workers' lives: start, load, drain, replace, end. A thread that dies is replaced, at once or after a
 * back-off; waiting work always starts a thread, whatever `workers.min` is.
 */

import type { MessagePort } from 'node:worker_threads'
import type { Clock } from '../base/clock.js'
import { EvenkeelError } from '../base/errors.js'
import { Lane, type LaneOwner } from '../engine/lane.js'
import type { ExitCause, Supervisor } from '../engine/supervisor.js'
import type { TaskKind } from '../protocol/batch.js'
import type { ThreadWorkerData } from '../protocol/control.js'
import { restartDelayMs } from './back-off.js'
import { DurationHistogram } from './duration-histogram.js'
import type { ResolvedOptions, WorkerRange } from './options.js'
import { PoolWorker } from './pool-worker.js'
import { Recycling } from './recycling.js'
import type { Task } from './task.js'
import { tellOnline } from './worker-channels.js'

/** How long a draining worker's `teardown` may take, ms. */
const TEARDOWN_MS = 5_000

export interface CrewEvents {
  /** The worker has loaded the module and takes tasks. */
  ready(worker: PoolWorker, names: readonly string[], kinds: readonly TaskKind[]): void
  /** The module could not be loaded. */
  loadFailed(error: EvenkeelError): void
  /** The thread is gone and its answers are taken in; what its lane still lists has none. */
  lost(worker: PoolWorker, lane: Lane<Task> | undefined, cause: ExitCause): void
  /** The worker gets nothing more. */
  retiring(worker: PoolWorker): void
  restarting(worker: PoolWorker, delayMs: number): void
}

export class Crew {
  readonly workers: PoolWorker[] = []
  /** From the start of a thread until it takes tasks. */
  readonly startTimes = new DurationHistogram()
  #range: WorkerRange
  readonly #options: ResolvedOptions
  readonly #supervisor: Supervisor
  readonly #clock: Clock
  readonly #owner: LaneOwner<Task>
  readonly #events: CrewEvents
  readonly #recycling = new Recycling((worker) => this.retire(worker, 'restart'))
  /** Kept, not counted anew: both are asked for at every task that finds no room. */
  #alive = 0
  #ready = 0
  #closing = false
  #exitWaiters: (() => void)[] = []

  constructor(
    options: ResolvedOptions,
    supervisor: Supervisor,
    clock: Clock,
    owner: LaneOwner<Task>,
    events: CrewEvents,
  ) {
    this.#options = options
    this.#range = options.workers
    this.#supervisor = supervisor
    this.#clock = clock
    this.#owner = owner
    this.#events = events
    this.#addSlots()
  }

  get range(): WorkerRange {
    return this.#range
  }

  /** Threads that run or boot, draining ones not counted. */
  get alive(): number {
    return this.#alive
  }

  /** Workers that have loaded the module and take tasks. */
  get ready(): number {
    return this.#ready
  }

  /** Whether as many are ready as there must be: `min`, and at least one. */
  get isReady(): boolean {
    return this.#ready >= Math.max(1, this.#range.min)
  }

  get closing(): boolean {
    return this.#closing
  }

  /**
   * Starts what is missing: up to `min` always, beyond that one worker per waiting task up to `max`. A worker whose
   * module failed to load is started again only for waiting work.
   */
  ensure(waiting: number): void {
    if (this.#closing) return
    const nowMs = this.#clock.nowMs()
    let alive = this.alive
    let wanted = Math.min(this.#range.max, this.#range.min)
    if (waiting > 0) {
      const starting = this.#count((worker) => worker.state === 'starting')
      wanted = Math.max(wanted, Math.min(this.#range.max, alive + Math.max(0, waiting - starting)))
    }
    for (const worker of this.workers) {
      if (alive >= wanted) return
      if (worker.state !== 'dead' || worker.thread !== undefined || worker.startAtMs > nowMs) continue
      if (worker.slot >= this.#range.max || (worker.loadFailed && waiting === 0)) continue
      this.#start(worker)
      alive++
    }
  }

  /** New bounds; surplus workers drain, missing ones start. */
  resize(range: WorkerRange): void {
    this.#range = range
    this.#addSlots()
    let surplus = this.alive - range.max
    for (const worker of [...this.workers].reverse()) {
      if (surplus <= 0) break
      if (worker.state === 'dead' || worker.state === 'draining') continue
      this.retire(worker, 'stay dead')
      surplus--
    }
    this.ensure(0)
  }

  /** Replaces a worker's thread once it has finished what it runs; one worker at a time. */
  recycle(worker: PoolWorker): void {
    this.#recycling.request(worker)
  }

  /** From now on the worker gets nothing more, and ends when it has finished. */
  retire(worker: PoolWorker, afterDrain: PoolWorker['afterDrain']): void {
    if (worker.state === 'dead' || worker.state === 'draining') return
    const wasStarting = worker.state === 'starting'
    worker.afterDrain = afterDrain
    worker.state = 'draining'
    this.#recount()
    this.#events.retiring(worker)
    if (wasStarting) this.terminate(worker)
    else this.settleDraining(worker)
  }

  /** A draining worker that has finished is told to tear down, then ended. */
  settleDraining(worker: PoolWorker): void {
    if (worker.state !== 'draining' || worker.stopping || worker.outstanding > 0 || worker.lane === undefined) return
    worker.stopping = true
    worker.lane.tell({ type: 'stop', unheard: worker.thread?.isHeard === false || undefined })
    worker.teardownTimer = this.#clock.after(TEARDOWN_MS, () => this.terminate(worker))
    worker.teardownTimer.unref()
  }

  /** Ends the thread wherever it stands; `blamed` is the task that made it necessary and has not settled yet. */
  terminate(worker: PoolWorker, blamed?: Task): void {
    worker.endExpected = true
    worker.blamed = blamed
    worker.thread?.terminate()
  }

  /** No thread starts from now on; resolves when all have ended. */
  close(): Promise<void> {
    this.#closing = true
    for (const worker of this.workers) this.retire(worker, 'stay dead')
    return this.#allGone()
  }

  /** After `close`: ends the threads that still run something nobody waits for. */
  terminateBusy(): void {
    for (const worker of this.workers) {
      if (worker.lane?.isRunning) this.terminate(worker)
    }
  }

  /** After `close`: ends the threads that are left. */
  terminateAll(): void {
    for (const worker of this.workers) this.terminate(worker)
  }

  /** The lane's news that concern the worker's life. */
  loaded(worker: PoolWorker, names: readonly string[], kinds: readonly TaskKind[]): void {
    if (worker.state !== 'starting') return
    worker.lane!.names = names
    worker.state = 'idle'
    worker.hasLoaded = true
    worker.idleSinceMs = this.#clock.nowMs()
    const startMs = worker.idleSinceMs - worker.bornMs
    this.startTimes.record(startMs * 1000)
    tellOnline(worker, startMs)
    this.#recount()
    this.#events.ready(worker, names, kinds)
  }

  failedToLoad(worker: PoolWorker, error: EvenkeelError): void {
    if (worker.state !== 'starting') return
    worker.loadFailed = true
    this.terminate(worker)
    this.#events.loadFailed(error)
  }

  #addSlots(): void {
    while (this.workers.length < this.#range.max) this.workers.push(new PoolWorker(this.workers.length))
  }

  #start(worker: PoolWorker): void {
    const { moduleUrl, ioWindow, depth, capturesOutput, workerData, thread: threadOptions } = this.#options
    const data: ThreadWorkerData = {
      'evenkeel:settings': { slot: worker.slot, moduleUrl, ioWindow, depth: depth + 1, capturesOutput },
      user: workerData,
    }
    worker.beginLife(this.#clock.nowMs())
    this.#recount()
    worker.thread = this.#supervisor.spawn(data, threadOptions, {
      hello: (port, board) => this.#hello(worker, port, board),
      exit: (cause) => this.#exited(worker, cause),
    })
  }

  #hello(worker: PoolWorker, port: MessagePort, board: SharedArrayBuffer): void {
    worker.lane = new Lane<Task>(port, board, this.#owner, worker.slot, this.#clock)
  }

  #exited(worker: PoolWorker, cause: ExitCause): void {
    const { lane } = worker
    const wasStarting = worker.state === 'starting'
    const wasDraining = worker.state === 'draining'
    // First, so that nothing is posted to it while its last answers are taken in.
    worker.state = 'dead'
    this.#recount()
    lane?.close()
    if (lane !== undefined) worker.startedBefore += lane.row.started
    worker.lane = undefined
    worker.thread = undefined
    worker.teardownTimer?.stop()
    if (wasStarting && !worker.loadFailed && !this.#closing) {
      worker.loadFailed = true
      this.#events.loadFailed(endedWhileLoading(this.#options.moduleUrl, cause, worker.slot))
    }
    this.#events.lost(worker, lane, cause)
    this.#afterExit(worker, wasDraining)
    if (this.#exitWaiters.length > 0 && this.#noneLeft()) for (const resolve of this.#exitWaiters.splice(0)) resolve()
  }

  #afterExit(worker: PoolWorker, wasDraining: boolean): void {
    if (this.#closing) return
    this.#recycling.ended(worker)
    if (wasDraining && worker.afterDrain === 'stay dead') return
    const isCrash = !wasDraining && !worker.endExpected
    if (isCrash) worker.failuresToRun++
    else if (worker.loadFailed) worker.failuresToRun = Math.max(2, worker.failuresToRun + 1)
    const delayMs = isCrash || worker.loadFailed ? restartDelayMs(worker.failuresToRun) : 0
    worker.startAtMs = this.#clock.nowMs() + delayMs
    if (worker.loadFailed || worker.slot >= this.#range.max) return
    worker.restarts++
    // One window of slow start for whoever follows a crash; a planned successor is trusted.
    worker.windowLimit = isCrash ? 1 : Number.POSITIVE_INFINITY
    this.#events.restarting(worker, delayMs)
    if (delayMs === 0) this.#restart(worker)
    else this.#clock.after(delayMs, () => this.#restart(worker)).unref()
  }

  #restart(worker: PoolWorker): void {
    if (this.#closing || worker.state !== 'dead' || worker.thread !== undefined) return
    if (this.alive < this.#range.min) this.#start(worker)
  }

  #allGone(): Promise<void> {
    if (this.#noneLeft()) return Promise.resolve()
    return new Promise((resolve) => this.#exitWaiters.push(resolve))
  }

  #noneLeft(): boolean {
    return this.workers.every((worker) => worker.thread === undefined)
  }

  #recount(): void {
    this.#alive = this.#count((worker) => worker.state !== 'dead' && worker.state !== 'draining')
    this.#ready = this.#count((worker) => worker.isReady)
  }

  #count(test: (worker: PoolWorker) => boolean): number {
    let count = 0
    for (const worker of this.workers) if (test(worker)) count++
    return count
  }
}

function endedWhileLoading(moduleUrl: string, cause: ExitCause, slot: number): EvenkeelError {
  const why = cause.error instanceof Error ? cause.error.message : `the thread ended with exit code ${cause.exitCode}`
  return new EvenkeelError('EVENKEEL_MODULE_LOAD', `${moduleUrl} could not be loaded: ${why}`, {
    cause: cause.error,
    exitCode: cause.exitCode,
    slot,
  })
}
