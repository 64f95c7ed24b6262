/**
 * One worker: the life of one thread in a slot, and what the dispatcher knows about it. A worker that must end leaves
 * the slot to a new one and drains beside it. So no field is ever reset for a next life.
 */

import type { Timer } from '../../base/clock.js'
import { LinkedList } from '../../base/linked-list.js'
import { POSTED } from '../../board/claims.js'
import { MAX_WINDOW } from '../../board/layout.js'
import type { Lane } from '../../engine/lane.js'
import type { LoopTime, Thread } from '../../engine/supervisor.js'
import { type ThreadState, transition } from '../../engine/thread-state.js'
import type { StartPhase } from '../options/events.js'
import type { Holder, Task } from '../tasks/task.js'

/** Silence of three beats, ms: the worker gets no more tasks, and its unstarted tasks are taken back. */
export const SUSPECT_MS = 60

export class PoolWorker {
  readonly slot: number
  /** Shared by all workers of the slot, one after another. */
  readonly record: SlotRecord
  /** Workers that have left the slot and drain. */
  readonly predecessors: Set<PoolWorker>
  #state: ThreadState = 'dead'
  /** The thread, from its start until its exit was handled. */
  thread: Thread | undefined
  /** The channel, from the thread's hello on. */
  lane: Lane<Task> | undefined
  /** Key of the task that was running when the others were taken back, or -1. Undefined: the worker is not held. */
  heldBy: number | undefined
  /** A task with a transfer list that gets this worker once it is idle. */
  reserved: Task | undefined
  /** Whether it is on the router's list of lanes with unsent tasks. */
  unsent = false
  /** Tasks kept for this worker because its lane has no free claim word. */
  readonly backlog = new LinkedList<Task>()
  /** Slow start: the most tasks it may hold while it has not proved itself. */
  windowLimit = Number.POSITIVE_INFINITY
  /** When it last became idle, ms. */
  idleSinceMs = 0
  /** Time without a sign of life while it holds tasks, as of the last tick, ms. */
  silentMs = 0
  /** The part of it for which this side is to blame, because it was late itself, ms. */
  excusedMs = 0
  /** Effective event-loop lag as of the last tick, ms, without what is excused. */
  lagMs = 0
  /** Share of its time that its event loop was busy in the last measuring window, and the window's length, ms. */
  utilisation = 0
  utilisationWindowMs = 0
  /** Event-loop time at the last measurement, and at the start of the suspicion. */
  measuredLoop: LoopTime | undefined
  suspectLoop: LoopTime | undefined
  /** Smoothed time from post to answer, ms. */
  responseMs = 0
  /** When these were read, ms. */
  readAtMs = 0
  /** When the stall was seen, ms. */
  stalledSinceMs = 0
  /** Ticks in a row that saw it silent beyond the stall limit. */
  stallTicks = 0
  /** Whether a draining worker has been replaced, or is one too many. */
  afterDrain: 'restart' | 'stay dead' = 'stay dead'
  /** Whether a draining worker was told to tear down. */
  stopping = false
  /** Ends a draining worker whose tasks, or then its teardown, take too long. */
  endTimer: Timer | undefined
  /** Set before the thread is terminated on purpose: its end is then no crash. */
  endExpected = false
  /** The task that made this necessary, if it has not settled. */
  blamed: Task | undefined
  /** The module could not be loaded. */
  loadFailed = false
  /** An error thrown outside its tasks, as the dying thread reported it. */
  uncaught: { readonly error: unknown } | undefined
  /** No task before this time, ms: a failure of the worker's own takes as long as a successful task. */
  creditBackMs = 0
  /** Whether that time is still ahead, as of the last tick. */
  penalised = false
  /** Smoothed share of tasks that failed, and own failures in a row. */
  failureShare = 0
  failuresInRow = 0
  /** Results of the other workers when the failures in a row began. */
  resultsAtFailure = 0
  ejectedUntilMs = 0
  ejections = 0
  /** When the thread was started, ms. */
  bornMs = 0
  /** Time it has been starting, as seen by ticks, ms; and the phase of the start. */
  startingMs = 0
  startPhase: StartPhase = 'module'
  /** Whether this thread ever took tasks. */
  hasLoaded = false
  /** Tasks finished in this life. */
  finishedInLife = 0

  /** @param before the worker that filled the slot until now */
  constructor(slot: number, before?: PoolWorker) {
    this.slot = slot
    this.record = before?.record ?? new SlotRecord()
    this.predecessors = before?.predecessors ?? new Set()
  }

  get state(): ThreadState {
    return this.#state
  }

  set state(next: ThreadState) {
    if (next !== this.#state) this.#state = transition(this.#state, next)
  }

  /** Loaded and alive: has a lane that takes tasks. */
  get isReady(): boolean {
    const state = this.#state
    return state !== 'dead' && state !== 'starting' && state !== 'draining'
  }

  /** Whether its event loop turned lately, as of the last tick. */
  get loopTurns(): boolean {
    return this.lagMs <= SUSPECT_MS
  }

  /** -1 without a thread. */
  get threadId(): number {
    return this.thread?.threadId ?? -1
  }

  get held(): boolean {
    return this.heldBy !== undefined
  }

  get outstanding(): number {
    return this.lane === undefined ? 0 : this.lane.outstanding + this.backlog.size
  }

  /** Slow start: after a success the worker may hold twice as many tasks, up to the normal window. */
  rampUp(): void {
    this.windowLimit = this.windowLimit * 2 >= MAX_WINDOW ? Number.POSITIVE_INFINITY : this.windowLimit * 2
  }

  /** Ends the thread at once. `blamed`: the unsettled task that made this necessary. */
  terminate(blamed?: Task): void {
    this.endExpected = true
    this.blamed = blamed
    this.thread?.terminate()
  }

  /** Tasks started in this life and before. */
  get started(): number {
    let started = this.record.startedBefore + this.startedInLife
    for (const { startedInLife } of this.predecessors) started += startedInLife
    return started
  }

  /** Read from shared memory: a task counts from the moment the worker begins it. */
  get startedInLife(): number {
    return this.lane === undefined ? 0 : this.lane.row.started
  }
}

/** Counts and facts of a slot, over all its threads. */
export class SlotRecord {
  completed = 0
  failed = 0
  takenBack = 0
  stalls = 0
  restarts = 0
  /** Threads started so far. */
  starts = 0
  /** Tasks started by threads that have ended. */
  startedBefore = 0
  /** Deaths and failed loads in a row, with no finished task between them. */
  failuresToRun = 0
  /** No thread is started before this, ms. */
  startAtMs = 0
  /** The last thread could not load the module: the next is started only when work waits. */
  cannotLoad = false

  /** A thread has ended by itself; returns how long its successor has to wait, ms. */
  ended(isCrash: boolean, cannotLoad: boolean, nowMs: number): number {
    if (isCrash) this.failuresToRun++
    else if (cannotLoad) this.failuresToRun = Math.max(2, this.failuresToRun + 1)
    this.cannotLoad = cannotLoad
    const delayMs = isCrash || cannotLoad ? restartDelayMs(this.failuresToRun) : 0
    this.startAtMs = nowMs + delayMs
    return delayMs
  }
}

/** Wait before a thread is started again: none after the first death, then from here, ms … */
const RESTART_FIRST_MS = 50
/** … doubling up to here, ms. */
const RESTART_MAX_MS = 5_000

/** @param crashesInRow deaths without a finished task between them, this one included */
export function restartDelayMs(crashesInRow: number): number {
  if (crashesInRow <= 1) return 0
  return Math.min(RESTART_MAX_MS, RESTART_FIRST_MS * 2 ** (crashesInRow - 2))
}

// Which worker a lane or a task belongs to: the worker of the slot, or a draining predecessor.

/** The worker of this lane. One comparison in the usual case, because it is called at every answer. */
export function workerOf(workers: readonly PoolWorker[], lane: Lane<Task>): PoolWorker {
  const worker = workers[lane.slot]
  if (worker.lane === lane) return worker
  for (const before of worker.predecessors) if (before.lane === lane) return before
  throw new Error(`no worker of slot ${lane.slot} has this lane`)
}

/** The worker that holds the posted task. Undefined while the task waits (also in a backlog) and once it is settled. */
export function holderOf(workers: readonly PoolWorker[], task: Task): PoolWorker | undefined {
  if (task.place !== 'lane' || task.key < 0) return undefined
  const worker = workers[task.slot]
  if (worker.lane?.taskOf(task.key) === task) return worker
  for (const before of worker.predecessors) if (before.lane?.taskOf(task.key) === task) return before
  return undefined
}

/** Whether a worker has started the task's present attempt. */
export function isStarted(workers: readonly PoolWorker[], task: Task): boolean {
  const lane = holderOf(workers, task)?.lane
  return lane !== undefined && lane.stateOf(task) !== POSTED
}

/** The tasks that lanes hold. One that is removed is taken back, or abandoned where it runs. */
export function postedTasks(workers: readonly PoolWorker[]): Holder {
  return {
    remove(task) {
      const lane = holderOf(workers, task)!.lane!
      if (!lane.takeBackOne(task)) lane.abandon(task)
    },
    *[Symbol.iterator]() {
      for (const { lane } of livesOf(workers)) {
        if (lane === undefined) continue
        yield* lane.cpu
        yield* lane.io
      }
    },
  }
}

/** Every worker of the pool: for each slot the one that fills it, then those that drain beside it. */
export function* livesOf(workers: readonly PoolWorker[]): IterableIterator<PoolWorker> {
  for (const worker of workers) {
    yield worker
    if (worker.predecessors.size > 0) yield* worker.predecessors
  }
}
