/**
 * What stands behind the public `Dispatcher`: wires queue, workers, take-back, health and endings together, and
 * settles each accepted task exactly once. `README.md` beside this file follows a task through it.
 */

import type { Clock } from '../base/clock.js'
import { EvenkeelError } from '../base/errors.js'
import { ticksBetweenMs, ticksOf } from '../board/layout.js'
import type { Lane, LaneOwner } from '../engine/lane.js'
import type { ExitCause, Supervisor } from '../engine/supervisor.js'
import { OK, type TaskKind } from '../protocol/batch.js'
import { cloneRejection } from '../protocol/clone-rejection.js'
import type { WorkerControl } from '../protocol/control.js'
import { decodeError, type WireError } from '../protocol/error-transfer.js'
import { createStrategy } from '../selection/index.js'
import { Crew } from './crew.js'
import { Endings } from './endings.js'
import type { DispatcherEvents } from './events.js'
import { FailureRecord } from './failure-record.js'
import { Health } from './health.js'
import { Ledger } from './ledger.js'
import { lossesOf, reasonOf } from './losses.js'
import type { ResolvedOptions } from './options.js'
import { Placement } from './placement.js'
import type { PoolWorker } from './pool-worker.js'
import { Pressure } from './pressure.js'
import { Retries } from './retries.js'
import { Router } from './router.js'
import { TakeBack } from './take-back.js'
import type { Task } from './task.js'
import { TaskNames } from './task-names.js'
import { Tick } from './tick.js'
import { WorkerView } from './worker-view.js'

/** Progress of all lanes is looked at no more often than this, ms. */
const RESCUE_PERIOD_MS = 0.5
/** Slow start ends when this many tasks at a time went well. */
const TRUSTED_WINDOW = 256

export type Emit = <Name extends keyof DispatcherEvents>(name: Name, ...args: DispatcherEvents[Name]) => void

export class DispatchCore implements LaneOwner<Task> {
  readonly names = new TaskNames()
  readonly ledger: Ledger
  readonly crew: Crew
  readonly view: WorkerView
  readonly router: Router
  readonly retries: Retries
  readonly endings: Endings
  readonly #options: ResolvedOptions
  readonly #clock: Clock
  readonly #emit: Emit
  readonly #placement: Placement
  readonly #takeBack: TakeBack
  readonly #health: Health
  readonly #failures: FailureRecord
  readonly #pressure: Pressure
  readonly #tick: Tick
  #nextRescueMs = 0
  /** Those who wait for the first load: `ready()`. */
  #readyWaiters: { resolve: () => void; reject: (error: Error) => void }[] = []

  constructor(options: ResolvedOptions, supervisor: Supervisor, clock: Clock, emit: Emit) {
    this.#options = options
    this.#clock = clock
    this.#emit = emit
    this.ledger = new Ledger(options.maxQueue)
    this.ledger.onDrain = () => emit('drain')
    this.crew = new Crew(options, supervisor, clock, this, {
      ready: (worker, names, kinds) => this.#workerReady(worker, names, kinds),
      loadFailed: (_worker, error) => this.#loadFailed(error),
      lost: (worker, lane, cause) => this.#workerLost(worker, lane, cause),
      restarting: ({ slot, restarts }, delayMs) => emit('restart', { slot, restarts, delayMs }),
    })
    const { workers } = this.crew
    this.view = new WorkerView(workers, options, clock)
    const keyed = createStrategy('consistent-hash', { random: options.random })
    this.#placement = new Placement(workers, this.view, options, keyed, clock)
    this.router = new Router(workers, options, this.#placement, clock, {
      unknownTask: (task) => this.#reject(task, unknownTask(task, options.moduleUrl)),
      posted: (task) => this.endings.posted(task),
    })
    this.#takeBack = new TakeBack(workers, this.router, options)
    this.retries = new Retries(clock, options.random, (task) => {
      this.router.putBack(task)
      this.#pump()
    })
    this.endings = new Endings(workers, options.graceMs, clock, {
      remove: (task) => this.#remove(task),
      reject: (task, error) => this.#reject(task, error),
      isolate: (worker) => this.#isolate(worker),
      terminate: (worker) => this.crew.terminate(worker),
      recycle: (worker) => this.crew.recycle(worker),
    })
    this.#health = new Health(workers, options, {
      suspected: (worker) => this.#takeBack.takeAll(worker),
      stalled: (worker, running, silentMs) => this.#stalled(worker, running, silentMs),
      recovered: ({ slot, thread }, stalledMs) =>
        emit('recover', { slot, threadId: thread?.threadId ?? -1, stalledMs }),
      overdue: (worker) => this.#endStalled(worker),
    })
    this.#failures = new FailureRecord(workers)
    this.#pressure = new Pressure(this.crew, this.view, options.holdMs, emit, () => this.router.waiting)
    this.#tick = new Tick(clock, () => this.#onTick())
    this.#setCapacity()
    this.crew.ensure(0)
  }

  /** Takes the task in and sends it on its way; throws when it cannot be accepted. */
  accept(task: Task): void {
    this.ledger.accept(task)
    this.#tick.start()
    this.endings.watch(task)
    this.router.submit(task)
    if (task.state === 'waiting') this.#makeWay(task)
  }

  /** Resolves when `workers.min` workers are loaded; rejects when the module cannot be loaded meanwhile. */
  ready(): Promise<void> {
    if (this.#isReady()) return Promise.resolve()
    this.#tick.start()
    this.crew.ensure(1)
    return new Promise((resolve, reject) => this.#readyWaiters.push({ resolve, reject }))
  }

  /** Rejects every unsettled task: queued, delayed, and running ones. */
  rejectAll(errorFor: (task: Task) => Error): void {
    for (const queue of [this.router.cpu, this.router.io]) {
      for (const task of queue) {
        queue.remove(task)
        this.#reject(task, errorFor(task))
      }
    }
    for (const task of [...this.retries.delayed]) {
      this.retries.remove(task)
      this.#reject(task, errorFor(task))
    }
    for (const worker of this.crew.workers) {
      const { lane, reserved } = worker
      if (reserved !== undefined) {
        worker.reserved = undefined
        this.#reject(reserved, errorFor(reserved))
      }
      for (let task = worker.backlog.shift(); task !== undefined; task = worker.backlog.shift()) {
        this.#reject(task, errorFor(task))
      }
      if (lane === undefined) continue
      lane.readPort()
      for (const task of [...lane.cpu, ...lane.io]) {
        if (!lane.takeBackOne(task)) lane.abandon(task)
        this.#reject(task, errorFor(task))
      }
    }
    for (const { reject } of this.#readyWaiters.splice(0)) {
      reject(new EvenkeelError('EVENKEEL_CLOSED', 'the dispatcher was closed'))
    }
  }

  resize(range: ResolvedOptions['workers']): void {
    this.crew.resize(range)
    this.#setCapacity()
    for (const worker of this.crew.workers) if (worker.state === 'draining') this.#isolate(worker)
    this.#placement.membershipChanged()
    this.#pump()
  }

  // From a lane: synchronous, in the order in which the worker posted.

  answered(lane: Lane<Task>, task: Task, status: number, value: unknown, startedAt: number, runUs: number): void {
    const worker = this.crew.workers[lane.slot]
    const ok = status === OK
    const { stats } = task
    stats.record(runUs, ok)
    worker.finishedInLife++
    this.ledger.runTimes.record(runUs)
    const waitedMs = ticksBetweenMs(ticksOf(task.submittedMs), startedAt)
    this.ledger.waitTimes.record(waitedMs * 1000)
    if (ok) {
      worker.completed++
      if (worker.failureShare > 0) this.#failures.succeeded(worker)
      if (worker.windowLimit !== Number.POSITIVE_INFINITY) rampUp(worker)
      if (task.ending === undefined) this.#resolve(task, value)
      else this.#reject(task, task.ending)
      return
    }
    worker.failed++
    if (this.#failures.failed(worker, stats.okMeanMs, this.#clock.nowMs())) this.#takeBack.takeAll(worker)
    if (this.retries.retry(task, 'thrown')) return
    this.#reject(task, task.ending ?? decodeError(value as WireError))
  }

  batchTaken(lane: Lane<Task>): void {
    const worker = this.crew.workers[lane.slot]
    const nowMs = this.#clock.nowMs()
    if (worker.isReady) {
      worker.failuresToRun = 0
      if (worker.held) this.#takeBack.release(worker)
      this.#health.recover(worker, nowMs)
      if (worker.outstanding === 0 && worker.state === 'busy') {
        worker.state = 'idle'
        worker.idleSinceMs = nowMs
      }
      if (worker.reserved !== undefined) this.router.postReserved(worker)
      if (worker.backlog.size > 0) this.router.drainBacklog(worker)
      if (this.#isSpent(worker)) this.crew.recycle(worker)
    } else this.crew.settleDraining(worker)
    if (nowMs >= this.#nextRescueMs) this.#rescue(nowMs)
    this.#pump()
  }

  late(): void {
    this.ledger.lateAnswers++
  }

  unsendable(task: Task, thrown: unknown): void {
    this.#reject(task, cloneRejection({ root: 'payload', value: task.payload, thrown, task: task.name }))
  }

  control(lane: Lane<Task>, message: WorkerControl): void {
    const worker = this.crew.workers[lane.slot]
    switch (message.type) {
      case 'loaded':
        this.crew.loaded(worker, message.names, message.kinds)
        break
      case 'loadFailed':
        this.crew.failedToLoad(worker, moduleError(this.#options.moduleUrl, decodeError(message.error)))
        break
      case 'progress':
        lane.taskOf(message.key)?.options.onProgress?.(message.value)
        break
      case 'uncaught':
        worker.uncaught = { error: decodeError(message.error) }
        break
      case 'stopped':
        if (message.error !== undefined) this.#emitError(decodeError(message.error))
        this.crew.terminate(worker)
        break
    }
  }

  // From the crew.

  #workerReady(worker: PoolWorker, names: readonly string[], kinds: readonly TaskKind[]): void {
    this.#learn(names, kinds)
    this.view.replaced(worker.slot)
    this.#placement.membershipChanged()
    this.#setCapacity()
    if (this.#isReady()) for (const { resolve } of this.#readyWaiters.splice(0)) resolve()
    this.#pump()
  }

  #loadFailed(error: EvenkeelError): void {
    if (this.crew.ready > 0) return this.#emitError(error)
    for (const { reject } of this.#readyWaiters.splice(0)) reject(error)
    for (const queue of [this.router.cpu, this.router.io]) {
      for (const task of queue) {
        queue.remove(task)
        this.#reject(task, error)
      }
    }
  }

  #workerLost(worker: PoolWorker, lane: Lane<Task> | undefined, cause: ExitCause): void {
    const nowMs = this.#clock.nowMs()
    if (worker.reserved !== undefined) {
      const { reserved } = worker
      worker.reserved = undefined
      this.router.putBack(reserved)
    }
    for (let task = worker.backlog.shift(); task !== undefined; task = worker.backlog.shift()) this.router.putBack(task)
    if (lane !== undefined) {
      // What was never started moves silently, then what was started is judged.
      for (const task of [...lane.takeBack(lane.cpu), ...lane.takeBack(lane.io)]) this.router.putBack(task)
      this.#judge(worker, lane, cause)
    }
    worker.penalised = false
    worker.creditBackMs = nowMs
    worker.failureShare = 0
    worker.lagMs = 0
    worker.silentMs = 0
    this.#placement.membershipChanged()
    const error = reasonOf(worker, cause)
    this.#emit('exit', { slot: worker.slot, exitCode: cause.exitCode, expected: worker.endExpected, error })
    queueMicrotask(() => this.#pump())
  }

  #judge(worker: PoolWorker, lane: Lane<Task>, cause: ExitCause): void {
    const losses = lossesOf(worker, lane, cause)
    for (const { task, error, isCulprit } of losses) {
      lane.abandon(task)
      if (isCulprit) task.crashes++
      if (!this.retries.retry(task, 'worker-loss')) this.#reject(task, task.ending ?? this.retries.finalError(task, error))
    }
    const reason = reasonOf(worker, cause)
    if (reason !== undefined && !worker.endExpected && !losses.some((loss) => loss.isCulprit)) this.#emitError(reason)
  }

  // Settling.

  #resolve(task: Task, value: unknown): void {
    this.endings.forget(task)
    this.ledger.resolve(task, value)
  }

  #reject(task: Task, reason: unknown): void {
    this.endings.forget(task)
    this.ledger.reject(task, reason)
  }

  /** Takes a task that no lane holds from wherever it waits. */
  #remove(task: Task): void {
    if (task.state === 'delayed') this.retries.remove(task)
    else if (task.state === 'posted') this.crew.workers[task.slot].backlog.remove(task)
    else this.router.remove(task)
  }

  // Moving work.

  /** A task found no room: more workers may start, or a lower priority make way. */
  #makeWay(task: Task): void {
    if (this.crew.alive < this.crew.range.max) this.crew.ensure(this.router.waiting)
    if (task.priority > this.#lowestPriority && this.#takeBack.makeRoomFor(task)) this.router.drain()
    this.#lowestPriority = Math.min(this.#lowestPriority, task.priority)
  }

  #lowestPriority = 0

  /** Waiting tasks move on; an idle worker gets a share of what another holds too much of. */
  #pump(): void {
    this.router.drain()
    if (this.router.waiting === 0 && this.#hasIdleWorker() && this.#takeBack.share()) this.router.drain()
    this.router.flush()
  }

  #rescue(nowMs: number): void {
    this.#nextRescueMs = nowMs + RESCUE_PERIOD_MS
    this.#takeBack.rescue(nowMs)
  }

  #onTick(): boolean {
    const nowMs = this.#clock.nowMs()
    this.#placement.failOpen = this.#health.tick(nowMs)
    this.view.version++
    this.endings.expire(nowMs)
    this.#rescue(nowMs)
    this.crew.ensure(this.router.waiting + (this.#readyWaiters.length > 0 ? 1 : 0))
    this.#pressure.look(nowMs)
    this.#pump()
    return this.ledger.unsettled > 0 || this.#readyWaiters.length > 0
  }

  /** Takes back all that the worker has not started and sends it nothing more; it ends when it has finished. */
  #isolate(worker: PoolWorker): void {
    const lane = worker.lane
    if (worker.isReady) this.crew.retire(worker, 'restart')
    if (lane === undefined) return
    for (const task of [...lane.takeBack(lane.cpu), ...lane.takeBack(lane.io)]) this.router.putBack(task)
  }

  #stalled(worker: PoolWorker, running: Task | undefined, silentMs: number): void {
    const lane = worker.lane!
    const runningMs = running === undefined ? 0 : ticksBetweenMs(lane.startedAt(running), ticksOf(this.#clock.nowMs()))
    const threadId = worker.thread?.threadId ?? -1
    this.#emit('stall', { slot: worker.slot, threadId, task: running?.name, runningMs, silentMs })
  }

  /** A worker silent beyond `stallKillMs`: its running task is to blame. */
  #endStalled(worker: PoolWorker): void {
    const lane = worker.lane!
    lane.readPort()
    if (lane.outstanding === 0 || worker.uncaught !== undefined) return
    worker.uncaught = { error: new Error(`the worker gave no sign of life for ${Math.round(worker.silentMs)} ms`) }
    const running = lane.runningTask
    this.#isolate(worker)
    if (running !== undefined) lane.doom(running)
    this.crew.terminate(worker)
  }

  #isSpent(worker: PoolWorker): boolean {
    const { maxTasksPerWorker, maxHeapBytes } = this.#options
    return worker.finishedInLife >= maxTasksPerWorker || worker.lane!.row.heapUsedBytes > maxHeapBytes
  }

  #hasIdleWorker(): boolean {
    for (const worker of this.crew.workers) if (worker.state === 'idle' && !worker.held) return true
    return false
  }

  #isReady(): boolean {
    return this.crew.ready >= Math.max(1, this.crew.range.min)
  }

  #setCapacity(): void {
    this.ledger.cpuCapacity = this.crew.range.max
    this.ledger.ioCapacity = this.crew.range.max * this.#options.ioWindow
  }

  #learn(names: readonly string[], kinds: readonly TaskKind[]): void {
    const first = !this.names.known
    this.names.learn(names, kinds)
    if (!first) return
    for (const queue of [this.router.cpu, this.router.io]) for (const task of queue) this.ledger.recount(task)
    this.router.learnKinds()
  }

  /** An error without an owner reaches those who listen, and brings nobody down. */
  #emitError(error: unknown): void {
    this.#emit('error', error)
  }
}

function rampUp(worker: PoolWorker): void {
  worker.windowLimit *= 2
  if (worker.windowLimit >= TRUSTED_WINDOW) worker.windowLimit = Number.POSITIVE_INFINITY
}

function unknownTask(task: Task, moduleUrl: string): EvenkeelError {
  return new EvenkeelError('EVENKEEL_UNKNOWN_TASK', `${moduleUrl} exports no task "${task.name}"`, { task: task.name })
}

function moduleError(moduleUrl: string, cause: unknown): EvenkeelError {
  const why = cause instanceof Error ? cause.message : String(cause)
  const error = new EvenkeelError('EVENKEEL_MODULE_LOAD', `${moduleUrl} could not be loaded: ${why}`, { cause })
  if (cause instanceof Error) error.stack += `\n  in the worker: ${cause.stack}`
  return error
}
