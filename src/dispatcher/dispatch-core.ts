/**
 * The parts behind the public `Dispatcher`: creates them, connects them, and passes the workers' news on. A task
 * comes in by `Arrivals.accept`, its answer by `answered`. Everything else frees capacity, notices trouble, or moves
 * work.
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
import { Crew, type CrewEvents } from './crew/crew.js'
import { isStarted, livesOf, type PoolWorker, postedTasks, workerOf } from './crew/pool-worker.js'
import { isSpent, Shrinking } from './crew/retiring.js'
import { Readiness, StartLimit } from './crew/starting.js'
import { exitEventOf } from './crew/thread-ends.js'
import { Arrivals } from './intake/arrivals.js'
import type { DispatcherEvents, Emit } from './options/events.js'
import type { ResolvedOptions, WorkerRange } from './options/options.js'
import { Delays } from './places/delays.js'
import { GateKeeper } from './places/gates.js'
import { Placement } from './routing/placement.js'
import { Reordering } from './routing/reordering.js'
import { Router } from './routing/router.js'
import { WorkerView } from './routing/worker-view.js'
import type { EarlyEnds } from './settling/early-ends.js'
import { Ledger } from './settling/ledger.js'
import { Settlement } from './settling/settlement.js'
import { safeRandom } from './tasks/outside-call.js'
import type { Holders, Task } from './tasks/task.js'
import { TaskNames } from './tasks/task-stats.js'
import { ControlNews } from './watch/control-news.js'
import { Health } from './watch/health.js'
import { OverloadWatch } from './watch/overload.js'
import { type Look, Tick } from './watch/tick.js'

export class DispatchCore implements LaneOwner<Task>, CrewEvents {
  readonly names = new TaskNames()
  readonly ledger: Ledger
  readonly crew: Crew
  readonly broadcasts: Broadcasts
  readonly view: WorkerView
  readonly delays: Delays
  readonly router: Router
  readonly gates: GateKeeper
  readonly earlyEnds: EarlyEnds
  readonly arrivals: Arrivals
  readonly health: Health
  /** Who holds the tasks of each place. Together they hold every unsettled task. */
  readonly holders: Holders
  readonly #options: ResolvedOptions
  readonly #clock: ProcessClock
  readonly #emit: Emit
  readonly #placement: Placement
  readonly #settlement: Settlement
  readonly #reordering: Reordering
  readonly #readiness = new Readiness()
  readonly #startLimit: StartLimit
  readonly #shrinking: Shrinking
  readonly #overload: OverloadWatch
  readonly #tick: Tick
  readonly #controlNews: ControlNews

  /**
   * Creates the parts in the order of the folders. A part that needs one created after it gets it by `connect`.
   *
   * @param listens whether anybody listens to an event
   */
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
    const report = (error: unknown) => emit('error', error)
    const { names } = this
    const ledger = new Ledger(options.maxQueue, () => emit('drain'), clock)
    ledger.setCapacity(options.workers.max, options.ioWindow)
    this.ledger = ledger

    const crew = new Crew(options, supervisor, clock)
    crew.connect(this, this)
    // Threads boot while the rest is built; their news comes in later turns of the loop.
    if (!options.startsLate) crew.ensure(0)
    const { workers } = crew
    this.crew = crew
    this.broadcasts = new Broadcasts((worker, offered, kinds) => crew.loaded(worker, offered, kinds))
    this.#startLimit = new StartLimit(crew, options, emit)
    this.#shrinking = new Shrinking(crew, clock, options.idleMs)

    const view = new WorkerView(workers, options, clock)
    const keyed = createStrategy('consistent-hash', { random: options.random })
    this.view = view
    this.#placement = new Placement(workers, view, options, keyed, clock, report)

    const delays = new Delays(clock)
    const random = safeRandom(options.random, report)
    const settlement = new Settlement({
      options,
      crew,
      names,
      ledger,
      delays,
      view,
      clock,
      random,
      unowned: report,
    })
    const { earlyEnds } = settlement
    this.delays = delays
    this.#settlement = settlement
    this.earlyEnds = earlyEnds

    const router = new Router(crew, options, this.#placement, clock, settlement)
    const { queues, kept, takeBack } = router
    const gates = new GateKeeper(options.gates, options.ageMs, clock, {
      enter: (task) => router.passed(task),
      withdraw: (task) => settlement.remove(task),
      isStarted: (task) => isStarted(workers, task),
      failed: (task, error) => settlement.reject(task, error),
    })
    this.router = router
    this.gates = gates
    this.#reordering = new Reordering(workers, router, gates)
    this.holders = {
      delay: delays,
      gate: gates,
      queue: queues,
      reservation: kept.reservations,
      backlog: kept.backlogs,
      lane: postedTasks(workers),
    }
    settlement.connect({ holders: this.holders, gates, takeBack })

    this.#controlNews = new ControlNews(crew, this.broadcasts, earlyEnds, options.moduleUrl, emit)
    this.health = new Health(workers, options, {
      suspected: (worker) => takeBack.takeAll(worker, false),
      stalled: (event) => {
        takeBack.takeAll(workers[event.slot], true)
        emit('stall', event)
      },
      recovered: (event) => emit('recover', event),
      overdue: (worker) => crew.endSilent(worker),
    })
    const anyoneListens = () => listens('overload') || listens('underload')
    this.#overload = new OverloadWatch(crew, view, options.holdMs, emit, () => router.waiting, anyoneListens)
    const tick = new Tick(clock, (look) => this.#onTick(look))
    this.#tick = tick
    this.arrivals = new Arrivals({ ledger, tick, router, earlyEnds, delays, gates })
    delays.connect(this.arrivals)
  }

  /** Gives the unstarted tasks of a tag another priority. Returns how many there are. */
  setPriority(tag: string, priority: number): number {
    const changed = this.#reordering.setPriority(this.earlyEnds.tags.of(tag), priority)
    this.router.pump()
    return changed
  }

  /**
   * Resolves when this many workers have loaded the module. Default: `workers.min`, at least one. Rejects if the module
   * fails to load meanwhile.
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
    this.router.pump()
  }

  /** For the close: rejects every unsettled task, and every caller that waits for workers. */
  rejectAll(errorFor: (task: Task) => Error): void {
    // Paused for good: an answer read from a port must not move a task to a place that was already emptied.
    this.router.paused = true
    for (const { lane } of livesOf(this.crew.workers)) lane?.readAnswers()
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
    this.router.rescueWhenDue(nowMs)
    this.router.pump()
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
    this.earlyEnds.end(task, error)
  }

  control(lane: Lane<Task>, message: WorkerControl): void {
    this.#controlNews.take(lane, message)
  }

  // News of the crew.

  workerReady(worker: PoolWorker, names: readonly string[], kinds: readonly TaskKind[], startMs: number): void {
    this.#emit('online', { slot: worker.slot, threadId: worker.threadId, startMs })
    const isFirst = !this.names.known
    this.names.learn(names, kinds)
    if (isFirst) {
      for (const task of this.router.queues) this.ledger.recount(task)
      this.router.learnKinds()
    }
    this.view.replaced(worker.slot)
    this.#placement.membershipChanged()
    this.#readiness.reached(this.crew.ready, this.crew.range.max)
    this.router.pump()
    this.#shrinking.watch()
  }

  /** While no worker is ready, waiting tasks cannot run. They are rejected with the load error. */
  loadFailed(error: EvenkeelError): void {
    this.#readiness.failed(error)
    if (this.crew.ready > 0) this.#emit('error', error)
    else this.#settlement.rejectQueued(() => error)
  }

  workerPosted({ slot, threadId }: PoolWorker, message: unknown): void {
    this.#emit('message', { slot, threadId, message })
  }

  workerLost(worker: PoolWorker, lane: Lane<Task> | undefined, cause: ExitCause): void {
    this.router.withdraw(worker, lane)
    if (lane !== undefined) this.#settlement.lost(worker, lane, cause)
    this.view.version++
    this.#emit('exit', exitEventOf(worker, cause, this.crew.closing))
    // After the crew has decided what follows: a user's strategy may resize or recycle the pool here.
    queueMicrotask(() => {
      this.#placement.membershipChanged()
      this.router.pump()
    })
  }

  workerRetiring(worker: PoolWorker): void {
    this.router.withdraw(worker)
  }

  workerRestarting({ slot, record }: PoolWorker, delayMs: number): void {
    this.#emit('restart', { slot, restarts: record.restarts, delayMs })
  }

  // Moving work.

  #workerAnswered(worker: PoolWorker, nowMs: number): void {
    worker.record.failuresToRun = 0
    if (worker.held) this.router.takeBack.release(worker)
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
    // A finished result does not wait for the end of the task after it.
    for (const { lane } of livesOf(this.crew.workers)) if (lane?.row.holdsBack(nowMs)) lane.readAnswers()
    this.view.measure(nowMs)
    this.view.version++
    this.earlyEnds.expire(nowMs, stoppedMs)
    this.gates.look()
    this.router.rescue(nowMs)
    this.#startLimit.look(nowMs)
    this.crew.ensure(this.router.waiting + this.#readiness.size)
    for (const worker of this.crew.workers) if (isSpent(this.#options, worker)) this.crew.replace(worker)
    this.#overload.look(nowMs)
    this.router.pump()
    return this.ledger.unsettled > 0 || this.#readiness.size > 0
  }
}
