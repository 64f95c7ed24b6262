/**
 * Counts accepted and settled tasks, and what depends on these counts: a full queue, `room()`, `idle()`. Why tasks
 * end: `settlement.ts`.
 */

import type { Clock } from '../../base/clock.js'
import { EvenkeelError } from '../../base/errors.js'
import { setImmediate } from '../../base/timers.js'
import { tellSaturated, tellSettled, tellSubmitted } from '../tasks/outside-call.js'
import type { Task } from '../tasks/task.js'
import { outcomeOf, type TaskOutcome, type TaskTally } from '../tasks/task-stats.js'

export class Ledger {
  readonly #maxQueue: number
  readonly #onDrain: () => void
  readonly #clock: Clock
  /** Tasks that can run at once, by kind. */
  #cpuCapacity = 0
  #ioCapacity = 0
  completed = 0
  failed = 0
  /** Calls of `run` that were refused. */
  rejected = 0
  /** Tasks that found the queue full, and tasks that waited longer than `queueTimeoutMs`. */
  queueFull = 0
  queueTimeouts = 0
  /** Answers that came after their task had settled. */
  lateAnswers = 0
  #cpuUnsettled = 0
  #ioUnsettled = 0
  #idleWaiters: (() => void)[] = []
  #roomWaiters: (() => void)[] = []
  /** Places handed out by `room()` and not used yet: in this turn of the event loop, and in the last one. */
  #freshPlaces = 0
  #agingPlaces = 0
  #wasFull = false
  #agingScheduled = false
  #idleCheckScheduled = false
  /** Time of arrival of the current message of answers, ms; 0 before its first answer. */
  #answersMs = 0

  /** @param onDrain called when tasks are accepted again after one was refused */
  constructor(maxQueue: number, onDrain: () => void, clock: Clock) {
    this.#maxQueue = maxQueue
    this.#onDrain = onDrain
    this.#clock = clock
  }

  /** One CPU task per worker runs at a time, and `ioWindow` I/O tasks. */
  setCapacity(workers: number, ioWindow: number): void {
    this.#cpuCapacity = workers
    this.#ioCapacity = workers * ioWindow
  }

  get unsettled(): number {
    return this.#cpuUnsettled + this.#ioUnsettled
  }

  /** Accepted tasks beyond those that can run at once, wherever they wait. */
  get waiting(): number {
    return Math.max(0, this.#cpuUnsettled - this.#cpuCapacity) + Math.max(0, this.#ioUnsettled - this.#ioCapacity)
  }

  /** Whether one more task of any kind would be accepted. */
  get hasRoom(): boolean {
    return this.#hasRoom()
  }

  /** Throws when the task would have to wait and the queue is full. A place from `room()` always suffices. */
  accept(task: Task): void {
    if (!this.#takePlace() && this.#maxQueue !== Number.POSITIVE_INFINITY && this.#isFullFor(task)) {
      if (!this.#wasFull) tellSaturated(task, this.#maxQueue)
      this.#wasFull = true
      this.queueFull++
      throw new EvenkeelError(
        'EVENKEEL_QUEUE_FULL',
        `the queue holds ${this.#maxQueue} tasks already: await room() before run()`,
        {
          task: task.name,
          maxQueue: this.#maxQueue,
        },
      )
    }
    if (task.countedAs === 'io') this.#ioUnsettled++
    else this.#cpuUnsettled++
    task.stats.tally.submitted++
    tellSubmitted(task)
  }

  /** A call of `run` was refused. */
  refuse(tally: TaskTally): void {
    this.rejected++
    tally.submitted++
    tally.outcomes.rejected++
  }

  /** The kinds became known: tasks accepted before are counted again, by their kind. */
  recount(task: Task): void {
    if (task.countedAs === task.kind) return
    task.countedAs = task.kind
    const change = task.kind === 'io' ? 1 : -1
    this.#ioUnsettled += change
    this.#cpuUnsettled -= change
  }

  /** The task was answered; `answersTaken` follows. */
  resolve(task: Task, value: unknown): void {
    this.completed++
    // One reading of the clock for all answers of a message.
    if (this.#answersMs === 0) this.#answersMs = this.#clock.nowMs()
    this.#settle(task, 'ok', this.#answersMs)
    tellSettled(task, true, undefined)
    task.resolve(value)
  }

  reject(task: Task, reason: unknown, outcome = outcomeOf(reason)): void {
    this.failed++
    if (reason instanceof EvenkeelError && reason.code === 'EVENKEEL_QUEUE_TIMEOUT') this.queueTimeouts++
    this.#settle(task, outcome, this.#clock.nowMs())
    tellSettled(task, false, reason)
    task.reject(reason)
  }

  /** All answers of one message were taken in. */
  answersTaken(): void {
    this.#answersMs = 0
  }

  /**
   * Hands out a place in the queue. Undefined: at once; else a promise. The next accepted task uses it, whatever its
   * kind. An unused place lapses after one turn of the event loop.
   */
  place(): Promise<void> | undefined {
    if (this.#maxQueue === Number.POSITIVE_INFINITY) return undefined
    if (this.#roomWaiters.length > 0 || !this.#hasRoom()) {
      return new Promise((resolve) => this.#roomWaiters.push(resolve))
    }
    this.#handOut()
    return undefined
  }

  /**
   * Resolves when nothing is queued or running, after the handlers of the last results have run. Tasks that these
   * submit are waited for too.
   */
  idle(): Promise<void> {
    if (this.unsettled === 0) this.#scheduleIdleCheck()
    return new Promise((resolve) => this.#idleWaiters.push(resolve))
  }

  get #places(): number {
    return this.#freshPlaces + this.#agingPlaces
  }

  #takePlace(): boolean {
    if (this.#agingPlaces > 0) this.#agingPlaces--
    else if (this.#freshPlaces > 0) this.#freshPlaces--
    else return false
    return true
  }

  #handOut(): void {
    this.#freshPlaces++
    this.#scheduleAging()
  }

  #scheduleAging(): void {
    if (this.#agingScheduled) return
    this.#agingScheduled = true
    setImmediate(() => {
      this.#agingScheduled = false
      this.#agingPlaces = this.#freshPlaces
      this.#freshPlaces = 0
      if (this.#agingPlaces > 0) this.#scheduleAging()
      this.#letIn()
    })
  }

  /** Serves waiting callers in order, as long as there are places. */
  #letIn(): void {
    while (this.#roomWaiters.length > 0 && this.#hasRoom()) {
      this.#handOut()
      this.#roomWaiters.shift()!()
    }
  }

  /** Whether one more task than places handed out would be accepted, whatever their kinds. */
  #hasRoom(): boolean {
    const startAtOnce = Math.min(this.#cpuCapacity - this.#cpuUnsettled, this.#ioCapacity - this.#ioUnsettled)
    return this.#places - Math.max(0, startAtOnce) < Math.max(0, this.#maxQueue - this.waiting)
  }

  #isFullFor(task: Task): boolean {
    const isIo = task.countedAs === 'io'
    const startsAtOnce = isIo ? this.#ioUnsettled < this.#ioCapacity : this.#cpuUnsettled < this.#cpuCapacity
    return !startsAtOnce && this.waiting >= this.#maxQueue
  }

  #settle(task: Task, outcome: TaskOutcome, nowMs: number): void {
    if (task.place === 'settled') throw new Error(`task "${task.name}" settled twice`)
    task.place = 'settled'
    const { tally } = task.stats
    tally.outcomes[outcome]++
    tally.totalTimes.record((nowMs - task.submittedMs) * 1000)
    if (task.countedAs === 'io') this.#ioUnsettled--
    else this.#cpuUnsettled--
    if (this.#wasFull && this.#hasRoom()) {
      this.#wasFull = false
      this.#onDrain()
    }
    this.#letIn()
    if (this.unsettled === 0 && this.#idleWaiters.length > 0) this.#scheduleIdleCheck()
  }

  /**
   * Not before the event loop has turned: until then all handlers of the last results have run, also behind chains of
   * promises, and may have submitted more.
   */
  #scheduleIdleCheck(): void {
    if (this.#idleCheckScheduled) return
    this.#idleCheckScheduled = true
    setImmediate(() => {
      this.#idleCheckScheduled = false
      if (this.unsettled > 0) return
      for (const resolve of this.#idleWaiters.splice(0)) resolve()
    })
  }
}
