/**
 * Ends tasks before they answer: by a time limit, an abort signal, or `cancel` of a tag. A waiting task is removed at
 * once, a posted one is taken back. A running task is asked to end. After `graceMs` an I/O task whose event loop
 * still turns is abandoned; any other is ended with its thread.
 *
 * A limit may be noticed late, after the caller's thread was blocked. So the port is read before each decision, and
 * the claim word decides. A finished task is never rejected. A late kill names one claim word, so it never hits the
 * next task.
 *
 * `deadlineMs` and `queueTimeoutMs` count all time. `runTimeoutMs` and the grace time leave out the time in which the
 * whole process stood still, because the task did not run then.
 */

import type { Clock } from '../../base/clock.js'
import { EvenkeelError } from '../../base/errors.js'
import { CLAIMED, DONE } from '../../board/claims.js'
import type { Lane } from '../../engine/lane.js'
import { isCloneable } from '../../protocol/clone-fault.js'
import { encodeError } from '../../protocol/error-transfer.js'
import { holderOf, isStarted, type PoolWorker, workerOf } from '../crew/pool-worker.js'
import type { Task } from '../tasks/task.js'
import { AbortSignals } from './abort-signals.js'
import { Limits, Stops } from './limits.js'

/**
 * A limit may come due too early: its task has not started, or times were rounded. It is checked again this much
 * later, ms, and never within the same tick.
 */
const LOOK_AGAIN_MS = 0.1

/** Removes and rejects tasks. */
export interface Ender {
  /** Takes the task out of its place. */
  remove(task: Task): void
  reject(task: Task, error: unknown): void
}

/** Ends workers. */
export interface WorkerKeeper {
  /** The worker gets no more tasks. Its unstarted tasks move on. */
  isolate(worker: PoolWorker): void
  /** Replaces the worker once it has finished what it runs. */
  recycle(worker: PoolWorker): void
  readonly draining: { settle(worker: PoolWorker): void }
}

export class EarlyEnds {
  readonly tags = new Tags()
  readonly #limits = new Limits()
  readonly #stops = new Stops()
  readonly #signals: AbortSignals
  readonly #workers: readonly PoolWorker[]
  readonly #graceMs: number
  readonly #clock: Clock
  readonly #ender: Ender
  readonly #crew: WorkerKeeper

  constructor(workers: readonly PoolWorker[], graceMs: number, clock: Clock, ender: Ender, crew: WorkerKeeper) {
    this.#workers = workers
    this.#graceMs = graceMs
    this.#clock = clock
    this.#ender = ender
    this.#crew = crew
    this.#signals = new AbortSignals((task, error) => this.end(task, error))
  }

  /** Number of limits, signals and tags of unsettled tasks. */
  get watched(): number {
    return this.#limits.size + this.#signals.size + this.tags.size
  }

  /** The task was accepted. False when it was rejected: its signal has fired, or cannot be listened to. */
  watch(task: Task): boolean {
    const { signal, tag } = task.options
    if (tag !== undefined) this.tags.add(tag, task)
    try {
      if (signal !== undefined) this.#signals.add(signal, task)
    } catch (error) {
      this.#ender.reject(task, error)
      return false
    }
    if (task.place === 'settled') return false
    if (task.limited) this.#setNext(task, this.#clock.nowMs())
    return true
  }

  /** The task was posted: its run may be limited from now on. */
  posted(task: Task): void {
    if (task.ending === undefined) this.#setNext(task, this.#clock.nowMs())
  }

  /** The task settled. */
  forget(task: Task): void {
    this.#limits.drop(task)
    const { signal, tag } = task.options
    if (tag !== undefined) this.tags.remove(tag, task)
    if (signal !== undefined) this.#signals.remove(signal, task)
  }

  /** Ends every task of a tag. Returns how many had not been asked to end before. */
  cancel(tag: string, reason: unknown): number {
    const tasks = this.tags.of(tag).filter((task) => !this.#isOver(task))
    if (tasks.length === 0) return 0
    // Each task gets its own error, because the errors of its earlier attempts are added to it.
    const errorOf = () =>
      new EvenkeelError('EVENKEEL_ABORTED', `tasks tagged "${tag}" were cancelled`, { cause: reason })
    for (const task of tasks) this.end(task, errorOf())
    return tasks.length
  }

  /** Acts on every limit that has passed. The process stood still for `stoppedMs` since the last tick. */
  expire(nowMs: number, stoppedMs = 0): void {
    this.#stops.note(nowMs, stoppedMs)
    for (let task = this.#limits.takeDue(nowMs); task !== undefined; task = this.#limits.takeDue(nowMs)) {
      if (task.ending !== undefined) this.#giveUp(task, nowMs)
      else {
        const error = this.#violation(task, nowMs)
        if (error === undefined) this.#setNext(task, nowMs)
        else this.end(task, error, error.code === 'EVENKEEL_QUEUE_TIMEOUT')
      }
    }
  }

  /**
   * Ends the task wherever it is; it rejects with `error`, at the latest after the grace time.
   *
   * @param onlyUnstarted true: a task that has started goes on
   */
  end(task: Task, error: unknown, onlyUnstarted = false): void {
    if (this.#isOver(task)) return
    this.#laneOf(task)?.readAnswers()
    if (this.#isOver(task)) return
    // Only now, because an answer in the port may have moved the task to the queue or to another lane.
    if (this.#endUnstarted(task, error)) return
    // The worker has claimed it meanwhile: it started in time.
    if (onlyUnstarted) this.#setNext(task, this.#clock.nowMs())
    else this.#ask(task, error)
  }

  /**
   * The caller's callback threw while the task ran. The task ends as by an abort and rejects with this error, unless
   * it was ended before. If the task has settled, throws the error.
   */
  fail(task: Task, error: unknown): void {
    if (task.place === 'settled') throw error
    if (task.ending !== undefined) return
    // First, so that an answer on its way comes too late.
    task.ending = error ?? new Error(`onProgress threw ${error}`)
    if (!this.#endUnstarted(task, task.ending)) this.#ask(task, task.ending)
  }

  /** Ends a task that no worker has started, wherever it is; false when one has. */
  #endUnstarted(task: Task, error: unknown): boolean {
    const lane = this.#laneOf(task)
    if (lane === undefined) this.#ender.remove(task)
    else if (!lane.takeBackOne(task)) return false
    this.#ender.reject(task, error)
    return true
  }

  /** Asks a running task to end. If it is done, its answer is on the way, and no further attempt follows. */
  #ask(task: Task, error: unknown): void {
    if (!this.#laneOf(task)!.askToEnd(task, encodeError(error, isCloneable))) {
      task.endInsteadOfRetry ??= error
      return
    }
    task.ending = error
    const nowMs = this.#clock.nowMs()
    this.#limits.set(task, nowMs + this.#graceMs)
    // Without a grace time the task ends within the call, not with the next tick.
    if (this.#graceMs === 0) this.#giveUp(task, nowMs)
  }

  /** The grace time is over. */
  #giveUp(task: Task, nowMs: number): void {
    this.#laneOf(task)?.readAnswers()
    // The task was running when it was asked to end, so it is in the same lane, or settled.
    const lane = this.#laneOf(task)
    if (lane === undefined) return
    const worker = workerOf(this.#workers, lane)
    const stoppedMs = this.#stops.since(task.limitDueMs - this.#graceMs)
    if (stoppedMs > 0) {
      this.#limits.set(task, Math.max(task.limitDueMs + stoppedMs, nowMs + LOOK_AGAIN_MS))
      return
    }
    if (lane.stateOf(task) === DONE) {
      // Its answer is in the worker's outbox, or its thread has just ended.
      this.#limits.set(task, nowMs + Math.max(this.#graceMs, LOOK_AGAIN_MS))
      return
    }
    // An I/O task on a loop that turns blocks nobody, so it is abandoned.
    if (task.kind === 'io' && worker.loopTurns) {
      lane.abandon(task)
      this.#ender.reject(task, task.ending!)
      this.#crew.recycle(worker)
      this.#crew.draining.settle(worker)
      return
    }
    this.#crew.isolate(worker)
    if (!lane.doom(task)) {
      this.#limits.set(task, nowMs + Math.max(this.#graceMs, LOOK_AGAIN_MS))
      return
    }
    lane.abandon(task)
    this.#ender.reject(task, task.ending!)
    worker.terminate()
  }

  /** The lane that holds the task. Undefined while it waits (also in a backlog). */
  #laneOf(task: Task): Lane<Task> | undefined {
    return holderOf(this.#workers, task)?.lane
  }

  /** Settled, or about to be. */
  #isOver(task: Task): boolean {
    return task.place === 'settled' || task.ending !== undefined
  }

  #violation(task: Task, nowMs: number): EvenkeelError | undefined {
    const { deadlineMs, queueTimeoutMs, runTimeoutMs } = task.options
    const ageMs = nowMs - task.submittedMs
    const runningMs = this.#runningMs(task, nowMs)
    if (runTimeoutMs !== undefined && runningMs !== undefined && runningMs >= runTimeoutMs) {
      return limitError('EVENKEEL_TIMEOUT', task, runTimeoutMs, 'ran longer than')
    }
    if (deadlineMs !== undefined && ageMs >= deadlineMs) {
      return limitError('EVENKEEL_DEADLINE', task, deadlineMs, 'was not done within')
    }
    if (queueTimeoutMs !== undefined && this.#waitsForStart(task) && ageMs >= queueTimeoutMs) {
      return limitError('EVENKEEL_QUEUE_TIMEOUT', task, queueTimeoutMs, 'was not started within')
    }
    return undefined
  }

  /** Sets when the task is checked next; never, if no limit can pass any more. */
  #setNext(task: Task, nowMs: number): void {
    const { deadlineMs, queueTimeoutMs, runTimeoutMs } = task.options
    let dueMs = Number.POSITIVE_INFINITY
    if (deadlineMs !== undefined) dueMs = task.submittedMs + deadlineMs
    if (queueTimeoutMs !== undefined && this.#waitsForStart(task)) {
      dueMs = Math.min(dueMs, task.submittedMs + queueTimeoutMs)
    }
    if (runTimeoutMs !== undefined && task.place === 'lane') {
      // A task that has not started has its whole run left.
      const leftMs = runTimeoutMs - (this.#runningMs(task, nowMs) ?? 0)
      dueMs = Math.min(dueMs, nowMs + Math.max(0, leftMs))
    }
    if (dueMs < Number.POSITIVE_INFINITY) this.#limits.set(task, Math.max(dueMs, nowMs + LOOK_AGAIN_MS))
    else this.#limits.drop(task)
  }

  /**
   * How long the task has been running, ms, without time in which the process stood still. Undefined: it is not
   * running.
   */
  #runningMs(task: Task, nowMs: number): number | undefined {
    const lane = this.#laneOf(task)
    if (lane === undefined || lane.stateOf(task) !== CLAIMED) return undefined
    const startedMs = lane.startedAt(task)
    return Math.max(0, nowMs - startedMs - this.#stops.since(startedMs))
  }

  #waitsForStart(task: Task): boolean {
    return task.attempt === 1 && !isStarted(this.#workers, task)
  }
}

type LimitCode = 'EVENKEEL_TIMEOUT' | 'EVENKEEL_DEADLINE' | 'EVENKEEL_QUEUE_TIMEOUT'

function limitError(code: LimitCode, task: Task, limitMs: number, what: string): EvenkeelError {
  return new EvenkeelError(code, `task "${task.name}" ${what} ${limitMs} ms`, {
    task: task.name,
    limitMs,
    attempts: task.attempt,
  })
}

/** Unsettled tasks by the tag that their caller gave them. */
export class Tags {
  readonly #tasks = new Map<string, Set<Task>>()

  /** Tags in use. */
  get size(): number {
    return this.#tasks.size
  }

  add(tag: string, task: Task): void {
    const tasks = this.#tasks.get(tag)
    if (tasks === undefined) this.#tasks.set(tag, new Set([task]))
    else tasks.add(task)
  }

  remove(tag: string, task: Task): void {
    const tasks = this.#tasks.get(tag)
    if (tasks?.delete(task) && tasks.size === 0) this.#tasks.delete(tag)
  }

  /** The tasks of a tag in the order in which they were accepted. */
  of(tag: string): Task[] {
    return [...(this.#tasks.get(tag) ?? [])]
  }
}
