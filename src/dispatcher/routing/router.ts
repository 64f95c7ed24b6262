/**
 * Sends tasks to workers with room, or into the central queue. Waiting tasks are tried again whenever there may be room
 * (`pump`). Which worker: `placement.ts`. Tasks posted in one turn of the loop leave in one message per worker.
 */

import type { Clock } from '../../base/clock.js'
import { queueMicrotask } from '../../base/timers.js'
import type { Lane } from '../../engine/lane.js'
import { isMoved } from '../../engine/lane-task.js'
import type { Crew } from '../crew/crew.js'
import { holderOf, type PoolWorker } from '../crew/pool-worker.js'
import type { ResolvedOptions } from '../options/options.js'
import { type CentralQueue, CentralQueues } from '../places/central-queue.js'
import { KeptTasks } from '../places/kept-tasks.js'
import { type Task, waitsForWorker } from '../tasks/task.js'
import type { Placement } from './placement.js'
import { TakeBack } from './take-back.js'

/**
 * At this number of unsent tasks a batch is sent before the turn ends, so workers start while the caller still submits.
 */
const FLUSH_TASKS = 64

/** Shortest time between two looks at the progress of all lanes, ms. */
const RESCUE_PERIOD_MS = 0.5

export interface RouterEvents {
  /** The task's name is not offered by the module. */
  unknownTask(task: Task): void
  /** The task was meant for one worker, whose thread has ended or is about to. */
  unplaced(task: Task): void
  /** A task with a time limit was posted. */
  posted(task: Task): void
  /** A task with a gate has to pass it again. */
  gated(task: Task): void
}

/** What the router needs of the crew. */
export type RouterCrew = Pick<Crew, 'workers' | 'alive' | 'range' | 'ensure'>

export class Router {
  readonly queues: CentralQueues
  readonly kept: KeptTasks
  readonly takeBack: TakeBack
  readonly #crew: RouterCrew
  readonly #workers: readonly PoolWorker[]
  readonly #push: boolean
  readonly #placement: Placement
  readonly #clock: Clock
  readonly #events: RouterEvents
  #unsent: PoolWorker[] = []
  #unsentTasks = 0
  #postMs = 0
  #flushScheduled = false
  #pumpScheduled = false
  #nextRescueMs = 0
  /** False until a worker has said which names are offered and which of them are I/O. */
  kindsKnown = false
  /** While true, nothing is posted: the caller paused the dispatcher, or it closes. */
  paused = false

  constructor(crew: RouterCrew, options: ResolvedOptions, placement: Placement, clock: Clock, events: RouterEvents) {
    const { workers } = crew
    this.#crew = crew
    this.#workers = workers
    this.queues = new CentralQueues(options.ageMs)
    this.kept = new KeptTasks(workers)
    this.takeBack = new TakeBack(workers, this, options, clock)
    this.#push = options.mode === 'push'
    this.#placement = placement
    this.#clock = clock
    this.#events = events
  }

  get waiting(): number {
    return this.queues.size
  }

  /** Posts the task if no other is before it and a worker has room. Else it waits. */
  submit(task: Task): void {
    const queue = this.queues.for(task)
    if (this.#placement.isBusy) this.#drainSoon()
    else if (queue.size === 0 && this.kindsKnown && !this.paused && this.#route(task)) {
      if (waitsForWorker(task)) this.#makeWay(task)
      return
    }
    task.place = 'queue'
    queue.push(task)
    this.#makeWay(task)
  }

  /** A task that only the worker of this slot may run. */
  submitToSlot(slot: number, task: Task): void {
    const worker = this.#workers[slot]
    if (worker?.isReady) this.submitTo(worker, task)
    else this.putBack(task)
  }

  /** A task found no room: more workers may start, or a lower priority make way. */
  #makeWay(task: Task): void {
    const { alive, range } = this.#crew
    if (alive < range.max) this.#crew.ensure(this.waiting)
    if (this.takeBack.makeRoomFor(task)) this.pump()
  }

  /**
   * A task has passed its gate. It goes on in a microtask, because each post lets the next task pass: a recursion
   * without end.
   */
  passed(task: Task): void {
    this.queue(task)
    if (this.#pumpScheduled) return
    this.#pumpScheduled = true
    queueMicrotask(() => {
      this.#pumpScheduled = false
      this.pump()
    })
  }

  /** A task that was in the queue before comes back to it. */
  comeBack(task: Task): void {
    this.putBack(task)
    this.pump()
  }

  /**
   * A task that was posted, or waited for its next attempt, goes back to the queue or its gate, by its time of
   * submission.
   */
  putBack(task: Task): void {
    task.slot = -1
    if (task.options.slot !== undefined) this.#events.unplaced(task)
    else if (task.options.gate !== undefined) this.#events.gated(task)
    else this.queue(task)
  }

  /** Puts the task into the central queue, by its time of submission. */
  queue(task: Task): void {
    task.place = 'queue'
    this.queues.for(task).putBack(task)
  }

  /** Moves waiting tasks to workers. An idle worker gets a share of the tasks of the fullest lane. */
  pump(): void {
    this.drain()
    if (this.waiting === 0 && this.#placement.hasIdle && this.takeBack.share()) this.drain()
    this.flush()
  }

  /** Takes tasks back from stuck lanes. Called often; acts at most once per period. */
  rescueWhenDue(nowMs: number): void {
    if (nowMs >= this.#nextRescueMs) this.rescue(nowMs)
  }

  rescue(nowMs: number): void {
    this.#nextRescueMs = nowMs + RESCUE_PERIOD_MS
    this.takeBack.rescue(nowMs)
  }

  /** Pauses: unstarted tasks come back to the queue. */
  pause(): void {
    this.paused = true
    for (const worker of this.#workers) this.withdraw(worker)
  }

  resume(): void {
    this.paused = false
    this.pump()
  }

  /** Allows the worker of the task to send `count` further items. */
  credit(task: Task, count: number): void {
    holderOf(this.#workers, task)?.lane?.tell({ type: 'credit', key: task.key, count })
  }

  /** Moves waiting tasks to workers with room. */
  drain(): void {
    if (!this.kindsKnown || this.paused) return
    if (this.#placement.isBusy) {
      this.#drainSoon()
      return
    }
    this.#drainQueue(this.queues.io)
    this.#drainQueue(this.queues.cpu)
  }

  /** Pumps again for tasks that came while no task could be placed. */
  #drainSoon(): void {
    queueMicrotask(() => {
      for (const worker of this.#workers)
        if (worker.backlog.size > 0 && worker.lane !== undefined) this.drainBacklog(worker)
      this.drain()
      this.flush()
    })
  }

  /** After a module said which tasks are I/O: tasks that came before it are sorted into their queues. */
  learnKinds(): void {
    this.kindsKnown = true
    this.queues.sort()
  }

  /** Sends what was posted since the last flush. */
  flush(): void {
    const unsent = this.#unsent
    if (unsent.length === 0) return
    this.#unsent = []
    this.#unsentTasks = 0
    this.#placement.endChunk()
    for (const worker of unsent) {
      worker.unsent = false
      worker.lane?.flush()
    }
  }

  /** A worker became idle: it takes a task that waits for an idle worker. */
  postReserved(worker: PoolWorker): void {
    const task = this.kept.takeFor(worker)
    if (task !== undefined) this.#post(worker, task)
  }

  #drainQueue(queue: CentralQueue): void {
    for (let task = queue.peek(); task !== undefined; task = queue.peek()) {
      // Out of the queue first: a task must be in no list when it is posted or settled.
      queue.remove(task)
      if (!this.#route(task)) {
        task.place = 'queue'
        queue.putBack(task)
        return
      }
    }
  }

  /** True when the task went somewhere, or is over; false when it must wait. */
  #route(task: Task): boolean {
    task.place = 'none'
    if (this.#push) return this.#routePush(task)
    if (isMoved(task) || task.exclusive) return this.#routeToIdle(task)
    const worker = this.#placement.pick(task)
    // A strategy of the user's own may have ended the task, or paused the dispatcher.
    if (hasSettled(task)) return true
    if (worker === undefined || this.paused) return false
    this.#post(worker, task)
    return true
  }

  /**
   * `mode: 'push'`, for comparisons only: the task goes to a worker at once, room or not, and beyond its claim words
   * into its backlog. Besides this, the mode has a branch in `placement.ts` and one in `worker-view.ts`.
   */
  #routePush(task: Task): boolean {
    const worker = this.#placement.pickAny(task)
    if (hasSettled(task)) return true
    if (worker === undefined || this.paused) return false
    this.submitTo(worker, task)
    return true
  }

  /**
   * For a task that moves objects, which can be done only once, so it must not be taken back; and for one that wants a
   * worker for itself.
   */
  #routeToIdle(task: Task): boolean {
    const found = this.#placement.pickIdle()
    if (found === undefined) return false
    if (found.idle) {
      this.#post(found.worker, task)
      return true
    }
    this.kept.reserve(found.worker, task)
    return true
  }

  /** Gives the task to this loaded worker, full or not. */
  submitTo(worker: PoolWorker, task: Task): void {
    if (worker.lane!.freeWords > 0 && worker.backlog.size === 0) this.#post(worker, task)
    else this.kept.keep(worker, task)
  }

  /** Tasks kept for this worker wait for any worker. */
  release(worker: PoolWorker): void {
    for (const task of this.kept.giveUp(worker)) this.putBack(task)
  }

  /** Takes all unstarted tasks from the worker. @param lane its lane, for a dead worker, which has none any more */
  withdraw(worker: PoolWorker, lane: Lane<Task> | undefined = worker.lane): void {
    this.release(worker)
    for (const task of lane?.takeBackAll() ?? []) this.putBack(task)
  }

  /** Tasks kept for a worker, by a broadcast or in push mode, beyond the claim words of its lane. */
  drainBacklog(worker: PoolWorker): void {
    while (worker.lane!.freeWords > 0 && !this.#isPosting()) {
      const task = worker.backlog.shift()
      if (task === undefined) return
      this.#post(worker, task)
    }
  }

  #post(worker: PoolWorker, task: Task): void {
    const lane = worker.lane!
    if (!lane.offers(task.name)) {
      this.#events.unknownTask(task)
      return
    }
    if (this.#isPosting()) {
      this.kept.keep(worker, task)
      return
    }
    const wasIdle = lane.outstanding === 0
    task.place = 'lane'
    task.slot = worker.slot
    task.expectedMs = task.stats.meanMs
    if (wasIdle && worker.state === 'idle') worker.state = 'busy'
    // One reading of the clock for all: a reading costs a tenth of a no-op.
    if (wasIdle || this.#unsentTasks === 0) this.#postMs = this.#clock.nowMs()
    if (this.#placement.weighsResponses) task.postedMs = this.#postMs
    this.#placement.isPosting = true
    lane.post(task, this.#postMs)
    this.#placement.isPosting = false
    // Unless a getter of its payload has ended it meanwhile.
    if (task.key >= 0 && (task.limited || task.options.gate !== undefined)) this.#events.posted(task)
    if (wasIdle) lane.flush()
    else this.#scheduleFlush(worker)
  }

  /** Tasks that came meanwhile are placed soon. */
  #isPosting(): boolean {
    if (this.#placement.isPosting) this.#drainSoon()
    return this.#placement.isPosting
  }

  #scheduleFlush(worker: PoolWorker): void {
    if (!worker.unsent) {
      worker.unsent = true
      this.#unsent.push(worker)
    }
    if (++this.#unsentTasks >= FLUSH_TASKS) this.flush()
    else if (!this.#flushScheduled) {
      this.#flushScheduled = true
      queueMicrotask(this.#flushNow)
    }
  }

  readonly #flushNow = (): void => {
    this.#flushScheduled = false
    this.flush()
  }
}

/** Checked again, because user code has run since the last check. */
function hasSettled(task: Task): boolean {
  return task.place === 'settled'
}
