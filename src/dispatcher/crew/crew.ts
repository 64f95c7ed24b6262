/**
 * The workers' lives: start, load, drain, replace, end. A thread that dies is replaced, at once or after a
 * back-off; waiting work always starts a thread, whatever `workers.min` is. A worker that must end leaves its slot at
 * once to a successor, and drains beside it. Which tasks a worker gets: `routing/`.
 */

import type { Clock } from '../../base/clock.js'
import type { EvenkeelError } from '../../base/errors.js'
import { Lane, type LaneOwner } from '../../engine/lane.js'
import type { ExitCause, Supervisor } from '../../engine/supervisor.js'
import type { TaskKind } from '../../protocol/batch.js'
import type { ThreadWorkerData } from '../../protocol/control.js'
import type { ResolvedOptions, WorkerRange } from '../options/options.js'
import { DurationHistogram } from '../tasks/duration-histogram.js'
import { tellOnline } from '../tasks/outside-call.js'
import type { Task } from '../tasks/task.js'
import { livesOf, PoolWorker } from './pool-worker.js'
import { Draining, Recycling } from './retiring.js'
import { endedWhileLoading } from './thread-ends.js'

/**
 * The most threads that drain beside their successors is `workers.max`, so that every worker can be replaced at once,
 * and at least this number, so that a small pool goes on beside a few tasks that never end. Each costs a thread, some
 * 10 MB and its heap, until it ends.
 */
const MIN_DRAINING = 4

export interface CrewEvents {
  /** The worker has loaded the module and takes tasks. */
  workerReady(worker: PoolWorker, names: readonly string[], kinds: readonly TaskKind[], startMs: number): void
  /** The module could not be loaded. */
  loadFailed(error: EvenkeelError): void
  /** Code in the thread posted something to its `parentPort`. */
  workerPosted(worker: PoolWorker, message: unknown): void
  /** The thread has ended and all its answers were read. Tasks that its lane still lists have none. */
  workerLost(worker: PoolWorker, lane: Lane<Task> | undefined, cause: ExitCause): void
  /** The worker gets no more tasks. Its unstarted tasks move on. */
  workerRetiring(worker: PoolWorker): void
  workerRestarting(worker: PoolWorker, delayMs: number): void
}

export class Crew {
  /** By slot: its worker, which may have no thread yet. Draining workers are its `predecessors`. */
  readonly workers: PoolWorker[] = []
  /** From the start of a thread until it takes tasks. */
  readonly startTimes = new DurationHistogram()
  #range: WorkerRange
  readonly #options: ResolvedOptions
  readonly #supervisor: Supervisor
  readonly #clock: Clock
  #owner!: LaneOwner<Task>
  #events!: CrewEvents
  readonly draining: Draining
  readonly #recycling = new Recycling({
    isWanted: (slot) => slot < this.#range.max,
    hasPlace: () => this.#mayStart,
    replace: (worker) => this.retire(worker, 'restart'),
  })
  /** Kept as counts: both are read at every task that finds no room. */
  #alive = 0
  #ready = 0
  #closing = false
  #onGone = () => {}

  constructor(options: ResolvedOptions, supervisor: Supervisor, clock: Clock) {
    this.#options = options
    this.#range = options.workers
    this.#supervisor = supervisor
    this.#clock = clock
    this.draining = new Draining(clock, options.closeTimeoutMs)
    this.#addSlots()
  }

  /** Before the first thread starts. @param owner receives what the lanes read */
  connect(owner: LaneOwner<Task>, events: CrewEvents): void {
    this.#owner = owner
    this.#events = events
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

  /** Whether `min` workers are ready, and at least one. */
  get isReady(): boolean {
    return this.#ready >= Math.max(1, this.#range.min)
  }

  get closing(): boolean {
    return this.#closing
  }

  /**
   * Starts missing workers: up to `min` always, up to `max` one per waiting task. If the module failed to load, only
   * waiting work starts the worker again.
   */
  ensure(waiting: number): void {
    if (this.#closing) return
    const nowMs = this.#clock.nowMs()
    let alive = this.alive
    let wanted = Math.min(this.#range.max, this.#range.min)
    if (waiting > 0) {
      const starting = this.workers.filter(({ state }) => state === 'starting').length
      wanted = Math.max(wanted, Math.min(this.#range.max, alive + Math.max(0, waiting - starting)))
    }
    for (const worker of this.workers) {
      if (alive >= wanted || !this.#mayStart) return
      const { cannotLoad, startAtMs } = worker.record
      if (worker.state !== 'dead' || startAtMs > nowMs) continue
      if (worker.slot >= this.#range.max || (cannotLoad && waiting === 0)) continue
      this.#start(worker)
      alive++
    }
  }

  /** New bounds; surplus workers drain, missing ones start. */
  resize(range: WorkerRange): void {
    this.#range = range
    this.#addSlots()
    const surplus = this.workers.filter(({ state }) => state !== 'dead').slice(range.max)
    for (const worker of surplus.reverse()) this.retire(worker, 'stay dead')
    this.ensure(0)
    this.#recycling.goOn()
  }

  /**
   * Replaces a worker that may work until its turn. They are replaced one after the other, so the pool keeps its
   * capacity.
   */
  recycle(worker: PoolWorker): void {
    this.#recycling.request(worker)
  }

  /** Replaces a worker that must get no more tasks. */
  replace(worker: PoolWorker): void {
    this.#recycling.requestNow(worker)
  }

  /** The worker gets no more tasks, and ends when it has finished. A successor starts at once. */
  retire(worker: PoolWorker, afterDrain: PoolWorker['afterDrain']): void {
    if (worker.state === 'dead' || worker.state === 'draining') return
    const wasStarting = worker.state === 'starting'
    worker.afterDrain = afterDrain
    this.draining.add(worker)
    const next = this.#vacate(worker)
    this.#events.workerRetiring(worker)
    if (wasStarting) worker.terminate()
    else this.draining.settle(worker)
    if (afterDrain === 'stay dead' || this.#closing || worker.slot >= this.#range.max) return
    worker.record.restarts++
    // At the bound, the successor starts when another thread has ended.
    if (this.#mayStart) this.#start(next)
    this.#events.workerRestarting(worker, 0)
  }

  /** The worker gets no more tasks, and ends when it has finished what it has started. */
  isolate(worker: PoolWorker): void {
    if (worker.isReady) this.retire(worker, 'restart')
    else this.#events.workerRetiring(worker)
  }

  /** Ends a worker that has been silent for too long: the task that holds its turn is to blame. */
  endSilent(worker: PoolWorker): void {
    const lane = worker.lane!
    lane.readAnswers()
    if (lane.outstanding === 0 || worker.uncaught !== undefined) return
    worker.uncaught = { error: new Error(`the worker gave no sign of life for ${Math.round(worker.silentMs)} ms`) }
    const running = lane.runningTask
    this.isolate(worker)
    if (running !== undefined) lane.doom(running)
    worker.terminate(running)
  }

  /** No thread starts from now on. Resolves when all have ended, draining ones included. */
  close(): Promise<void> {
    this.#closing = true
    for (const worker of [...livesOf(this.workers)]) {
      if (worker.state === 'draining') this.draining.settle(worker)
      else this.retire(worker, 'stay dead')
    }
    return new Promise((resolve) => {
      this.#onGone = resolve
      this.#tellIfGone()
    })
  }

  /** After `close`: ends the threads that still run something nobody waits for. */
  terminateBusy(): void {
    for (const worker of livesOf(this.workers)) if (worker.lane?.isRunning) worker.terminate()
  }

  /** After `close`: ends the threads that are left. */
  terminateAll(): void {
    for (const worker of livesOf(this.workers)) worker.terminate()
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
    worker.record.cannotLoad = false
    this.#recount()
    this.#events.workerReady(worker, names, kinds, startMs)
    this.#recycling.ready(worker)
  }

  failedToLoad(worker: PoolWorker, error: EvenkeelError): void {
    if (worker.state !== 'starting') return
    worker.loadFailed = true
    worker.terminate()
    this.#events.loadFailed(error)
  }

  #addSlots(): void {
    while (this.workers.length < this.#range.max) this.workers.push(new PoolWorker(this.workers.length))
  }

  #start(worker: PoolWorker): void {
    worker.state = 'starting'
    worker.bornMs = this.#clock.nowMs()
    worker.record.starts++
    this.#recount()
    worker.thread = this.#supervisor.spawn(threadDataOf(this.#options, worker.slot), this.#options.thread, {
      hello: (port, board) => {
        worker.lane = new Lane<Task>(port, board, this.#owner, worker.slot, this.#clock)
      },
      message: (message) => this.#events.workerPosted(worker, message),
      exit: (cause) => this.#exited(worker, cause),
    })
  }

  #exited(worker: PoolWorker, cause: ExitCause): void {
    const { lane, record } = worker
    const stateBefore = worker.state
    // First, so that no task is posted to it while its last answers are read.
    worker.state = 'dead'
    this.#recount()
    lane?.close()
    record.startedBefore += worker.startedInLife
    worker.lane = undefined
    worker.thread = undefined
    this.draining.ended(worker)
    if (stateBefore === 'starting' && !worker.loadFailed && !this.#closing) {
      worker.loadFailed = true
      this.#events.loadFailed(endedWhileLoading(this.#options.moduleUrl, cause, worker.slot))
    }
    this.#events.workerLost(worker, lane, cause)
    if (stateBefore !== 'draining') this.#follow(worker)
    if (!this.#closing) {
      this.ensure(0)
      this.#recycling.goOn()
    }
    this.#tellIfGone()
  }

  /** The thread ended by itself: its successor may have to wait. */
  #follow(worker: PoolWorker): void {
    const { record, loadFailed, slot } = worker
    const next = this.#vacate(worker)
    if (this.#closing) return
    const isCrash = !worker.endExpected
    const delayMs = record.ended(isCrash, loadFailed, this.#clock.nowMs())
    if (loadFailed || slot >= this.#range.max) return
    record.restarts++
    // After a crash the successor starts with a small window. A planned successor starts with a full one.
    if (isCrash) next.windowLimit = 1
    if (delayMs > 0) this.#clock.after(delayMs, () => this.#restart(slot)).unref()
    this.#events.workerRestarting(worker, delayMs)
  }

  #restart(slot: number): void {
    const worker = this.workers[slot]
    if (this.#closing || worker.state !== 'dead' || this.#alive >= this.#range.min || !this.#mayStart) return
    this.#start(worker)
  }

  /** The worker leaves its slot. Returns the new worker of the slot, which has no thread yet. */
  #vacate(worker: PoolWorker): PoolWorker {
    const next = new PoolWorker(worker.slot, worker)
    this.workers[worker.slot] = next
    this.#recount()
    return next
  }

  /** Whether one more thread may run. */
  get #mayStart(): boolean {
    return this.#alive + this.draining.size < this.#range.max + Math.max(MIN_DRAINING, this.#range.max)
  }

  #tellIfGone(): void {
    if (this.#alive + this.draining.size === 0) this.#onGone()
  }

  #recount(): void {
    this.#alive = this.workers.filter(({ state }) => state !== 'dead').length
    this.#ready = this.workers.filter(({ isReady }) => isReady).length
  }
}

/** What a new thread is told. */
export function threadDataOf(options: ResolvedOptions, slot: number): ThreadWorkerData {
  const { moduleUrl, ioWindow, capturesOutput, maxHeapBytes, workerData } = options
  const depth = options.depth + 1
  const reportsHeap = maxHeapBytes !== Number.POSITIVE_INFINITY
  return {
    'evenkeel:settings': { slot, moduleUrl, ioWindow, depth, capturesOutput, reportsHeap },
    user: workerData,
  }
}
