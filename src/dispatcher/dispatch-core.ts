/**
 * What stands behind the public `Dispatcher`: wires queue, workers, take-back, health and endings together. A task
 * comes in by `Arrivals.accept`, its answer by `answered`; everything else makes room, notices trouble, or moves work.
 */

import type { ProcessClock } from '../base/clock.js'
import { EvenkeelError } from '../base/errors.js'
import { queueMicrotask } from '../base/timers.js'
import type { Lane, LaneOwner } from '../engine/lane.js'
import type { ExitCause, Supervisor } from '../engine/supervisor.js'
import { OK, type TaskKind } from '../protocol/batch.js'
import { cloneRejection } from '../protocol/clone-rejection.js'
import type { WorkerControl } from '../protocol/control.js'
import { createStrategy } from '../selection/index.js'
import { Broadcasts } from './crew/broadcasts.js'
import { Crew } from './crew/crew.js'
import { FailureRecord } from './crew/failure-record.js'
import { isStarted, postedTasks, workerOf } from './crew/lives.js'
import type { PoolWorker } from './crew/pool-worker.js'
import { Readiness } from './crew/readiness.js'
import { Shrinking } from './crew/shrinking.js'
import { isSpent } from './crew/spent.js'
import { StartLimit } from './crew/starting.js'
import { exitEventOf } from './crew/thread-ends.js'
import { Arrivals } from './intake/arrivals.js'
import type { DispatcherEvents, Emit } from './options/events.js'
import type { ResolvedOptions, WorkerRange } from './options/options.js'
import { GateKeeper } from './places/gate-keeper.js'
import { Flow } from './routing/flow.js'
import { Placement } from './routing/placement.js'
import { Reordering } from './routing/reordering.js'
import { Router } from './routing/router.js'
import { TakeBack } from './routing/take-back.js'
import { WorkerView } from './routing/worker-view.js'
import { Endings } from './settling/early-ends.js'
import { Ledger } from './settling/ledger.js'
import { unknownTaskError, unplacedError } from './settling/losses.js'
import { Retries } from './settling/retries.js'
import { Settlement } from './settling/settlement.js'
import { safeRandom } from './tasks/outside-call.js'
import type { Holders, Task } from './tasks/task.js'
import { TaskNames } from './tasks/task-names.js'
import { ControlNews } from './watch/control-news.js'
import { Health } from './watch/health.js'
import { Pressure } from './watch/overload.js'
import { type Look, Tick } from './watch/tick.js'

export class DispatchCore implements LaneOwner<Task> {
  readonly names = new TaskNames()
  readonly ledger: Ledger
  readonly crew: Crew
  readonly view: WorkerView
  readonly router: Router
  readonly endings: Endings
  readonly gates: GateKeeper
  readonly arrivals: Arrivals
  /** By place; together they have every unsettled task. */
  readonly holders: Holders
  readonly flow: Flow
  readonly broadcasts: Broadcasts
  readonly #options: ResolvedOptions
  readonly #clock: ProcessClock
  readonly #emit: Emit
  readonly #placement: Placement
  readonly #takeBack: TakeBack
  readonly #settlement: Settlement
  readonly health: Health
  readonly #pressure: Pressure
  readonly #shrinking: Shrinking
  readonly #readiness = new Readiness()
  readonly #tick: Tick
  readonly #controlNews: ControlNews
  readonly #reordering: Reordering
  readonly #startLimit: StartLimit

  /** @param listens whether anybody listens to an event */
  constructor(
    options: ResolvedOptions,
    supervisor: Supervisor,
    clock: ProcessClock,
    emit: Emit,
    listens: (name: keyof DispatcherEvents) => boolean,
  ) {
    this.#options = options
    this.#clock = clock
    this.#emit = emit
    this.ledger = new Ledger(options.maxQueue, () => emit('drain'), clock)
    this.crew = new Crew(options, supervisor, clock, this, {
      ready: (worker, names, kinds) => this.#workerReady(worker, names, kinds),
      loadFailed: (error) => this.#loadFailed(error),
      lost: (worker, lane, cause) => this.#workerLost(worker, lane, cause),
      retiring: (worker) => this.router.withdraw(worker),
      restarting: ({ slot, record }, delayMs) => emit('restart', { slot, restarts: record.restarts, delayMs }),
    })
    // Threads boot while the rest is built; their news comes in later turns of the loop.
    if (!options.startsLate) this.crew.ensure(0)
    const { workers } = this.crew
    this.view = new WorkerView(workers, options, clock)
    const keyed = createStrategy('consistent-hash', { random: options.random })
    const report = (error: unknown) => emit('error', error)
    this.#placement = new Placement(workers, this.view, options, keyed, clock, report)
    this.router = new Router(workers, options, this.#placement, clock, {
      unknownTask: (task) =>
        this.#settlement.reject(task, unknownTaskError(task, options.moduleUrl, this.names.offered)),
      unplaced: (task) => this.#settlement.reject(task, unplacedError(task)),
      posted: (task) => this.arrivals.posted(task),
      gated: (task) => this.gates.of(task.options.gate!).putBack(task),
    })
    this.broadcasts = new Broadcasts((worker, names, kinds) => this.crew.loaded(worker, names, kinds))
    this.#takeBack = new TakeBack(workers, this.router, options, clock)
    this.endings = new Endings(workers, options.graceMs, clock, {
      remove: (task) => this.#settlement.remove(task),
      reject: (task, error) => this.#settlement.reject(task, error),
      isolate: (worker) => this.crew.isolate(worker),
      terminate: (worker) => worker.terminate(),
      recycle: (worker) => {
        this.crew.recycle(worker)
        this.crew.draining.settle(worker)
      },
    })
    const { crew, router, endings } = this
    this.#controlNews = new ControlNews(crew, this.broadcasts, endings, options.moduleUrl, emit)
    this.flow = new Flow({
      crew,
      router,
      placement: this.#placement,
      takeBack: this.#takeBack,
    })
    this.gates = new GateKeeper(options.gates, options.ageMs, clock, {
      enter: (task) => this.flow.passed(task),
      withdraw: (task) => this.#settlement.remove(task),
      isStarted: (task) => isStarted(workers, task),
      failed: (task, error) => this.#settlement.reject(task, error),
    })
    this.#tick = new Tick(clock, (look) => this.#onTick(look))
    const { ledger, flow, gates } = this
    this.arrivals = new Arrivals({ ledger, tick: this.#tick, endings, flow, gates }, clock)
    this.#reordering = new Reordering(workers, router, gates)
    this.holders = {
      delay: this.arrivals.delays,
      gate: gates,
      queue: router.queues,
      reservation: router.kept.reservations,
      backlog: router.kept.backlogs,
      lane: postedTasks(workers),
    }
    this.#settlement = new Settlement({
      workers,
      ledger: this.ledger,
      router,
      retries: new Retries(this.arrivals.delays, safeRandom(options.random, report)),
      holders: this.holders,
      gates,
      endings,
      failures: new FailureRecord(workers),
      view: this.view,
      clock,
      ejected: (worker) => this.#takeBack.takeAll(worker, true),
      unowned: report,
    })
    this.health = new Health(workers, options, {
      suspected: (worker) => this.#takeBack.takeAll(worker, false),
      stalled: (event) => {
        this.#takeBack.takeAll(workers[event.slot], true)
        emit('stall', event)
      },
      recovered: (event) => emit('recover', event),
      overdue: (worker) => this.crew.endSilent(worker),
    })
    this.#startLimit = new StartLimit(crew, options, emit)
    this.#shrinking = new Shrinking(this.crew, clock, options.idleMs)
    const anyoneListens = () => listens('overload') || listens('underload')
    const waiting = () => router.waiting
    this.#pressure = new Pressure(crew, this.view, options.holdMs, emit, waiting, anyoneListens)
    this.ledger.setCapacity(options.workers.max, options.ioWindow)
  }

  /** Another priority for all of a tag that has not started; returns how many those are. */
  setPriority(tag: string, priority: number): number {
    const changed = this.#reordering.setPriority(this.endings.tags.of(tag), priority)
    this.flow.pump()
    return changed
  }

  /**
   * Resolves when so many workers are loaded, without a number `workers.min` and at least one; rejects when the module
   * cannot be loaded meanwhile.
   */
  ready(workers = Math.max(1, this.crew.range.min)): Promise<void> {
    const missing = workers - this.crew.ready
    if (missing <= 0) return Promise.resolve()
    this.#tick.start()
    this.crew.ensure(missing)
    return this.#readiness.wait(workers)
  }

  resize(range: WorkerRange): void {
    this.crew.resize(range)
    this.ledger.setCapacity(range.max, this.#options.ioWindow)
    this.#readiness.reached(this.crew.ready, range.max)
    this.#placement.membershipChanged()
    this.#shrinking.watch()
    this.flow.pump()
  }

  /** For the close: rejects every unsettled task, and those who wait for the workers. */
  rejectAll(errorFor: (task: Task) => Error): void {
    this.#settlement.rejectAll(errorFor)
    this.#readiness.failed(new EvenkeelError('EVENKEEL_CLOSED', 'the dispatcher was closed'))
  }

  // News of a lane: synchronous, in the order in which the worker posted.

  answered(lane: Lane<Task>, task: Task, status: number, value: unknown, startedAt: number, runUs: number): void {
    this.#settlement.answered(workerOf(this.crew.workers, lane), task, status === OK, value, startedAt, runUs)
  }

  batchTaken(lane: Lane<Task>): void {
    this.ledger.answersTaken()
    const worker = workerOf(this.crew.workers, lane)
    const nowMs = this.#clock.nowMs()
    if (worker.isReady) this.#workerAnswered(worker, nowMs)
    else this.crew.draining.settle(worker)
    this.flow.rescueWhenDue(nowMs)
    this.flow.pump()
  }

  late(): void {
    this.ledger.lateAnswers++
  }

  unsendable(task: Task, thrown: unknown): void {
    const { payload: value, name, transfer: transferred } = task
    const isOwn = thrown instanceof EvenkeelError
    const error = isOwn
      ? Object.assign(thrown, { task: name })
      : cloneRejection({ root: 'payload', value, thrown, task: name, transferred })
    this.#settlement.reject(task, error)
  }

  unread(task: Task): void {
    this.router.putBack(task)
  }

  unheard(task: Task, error: unknown): void {
    this.endings.end(task, error)
  }

  control(lane: Lane<Task>, message: WorkerControl): void {
    this.#controlNews.take(lane, message)
  }

  // News of the crew.

  #workerReady(worker: PoolWorker, names: readonly string[], kinds: readonly TaskKind[]): void {
    const isFirst = !this.names.known
    this.names.learn(names, kinds)
    if (isFirst) {
      for (const task of this.router.queues) this.ledger.recount(task)
      this.router.learnKinds()
    }
    this.view.replaced(worker.slot)
    this.#placement.membershipChanged()
    this.#readiness.reached(this.crew.ready, this.crew.range.max)
    this.flow.pump()
    this.#shrinking.watch()
  }

  /** While no worker is ready, waiting tasks cannot run. They are rejected with the load error. */
  #loadFailed(error: EvenkeelError): void {
    this.#readiness.failed(error)
    if (this.crew.ready > 0) this.#emit('error', error)
    else this.#settlement.rejectQueued(() => error)
  }

  #workerLost(worker: PoolWorker, lane: Lane<Task> | undefined, cause: ExitCause): void {
    this.router.release(worker)
    if (lane !== undefined) this.#settlement.lost(worker, lane, cause)
    this.view.version++
    this.#emit('exit', exitEventOf(worker, cause, this.crew.closing))
    // After the crew has decided what follows: a strategy of the user's own may do anything to it.
    queueMicrotask(() => {
      this.#placement.membershipChanged()
      this.flow.pump()
    })
  }

  // Moving work.

  #workerAnswered(worker: PoolWorker, nowMs: number): void {
    worker.record.failuresToRun = 0
    if (worker.held) this.#takeBack.release(worker)
    this.health.recover(worker, nowMs)
    if (worker.outstanding === 0 && worker.state === 'busy') {
      worker.state = 'idle'
      worker.idleSinceMs = nowMs
      this.#shrinking.watch()
    }
    this.router.postReserved(worker)
    if (worker.backlog.size > 0) this.router.drainBacklog(worker)
    if (isSpent(this.#options, worker)) this.crew.replace(worker)
  }

  #onTick(look: Look): boolean {
    const { nowMs, stoppedMs } = look
    this.#placement.failOpen = this.health.tick(look, this.router.waiting > 0 && !this.router.paused)
    this.view.measure(nowMs)
    this.view.version++
    this.endings.expire(nowMs, stoppedMs)
    this.gates.look()
    this.flow.rescue(nowMs)
    this.#startLimit.look(nowMs)
    this.crew.ensure(this.router.waiting + this.#readiness.size)
    for (const worker of this.crew.workers) if (isSpent(this.#options, worker)) this.crew.replace(worker)
    this.#pressure.look(nowMs)
    this.flow.pump()
    return this.ledger.unsettled > 0 || this.#readiness.size > 0
  }
}
