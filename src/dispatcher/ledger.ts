/** Accepted tasks counted, settled once each, and those who wait for the counts. */

import type { Clock } from '../base/clock.js'
import { EvenkeelError } from '../base/errors.js'
import type { Task } from './task.js'
import { tellSaturated, tellSettled, tellSubmitted } from './task-channels.js'
import { outcomeOf, type TaskOutcome, type TaskTally } from './task-tally.js'

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
  /** Tasks that found the queue full, and accepted ones that waited longer than they were allowed to. */
  queueFull = 0
  queueTimeouts = 0
  /** Answers that came after their task had settled. */
  lateAnswers = 0
  #cpuUnsettled = 0
  #ioUnsettled = 0
  #idleWaiters: (() => void)[] = []
  #roomWaiters: (() => void)[] = []
  #wasFull = false
  #nextScheduled = false
  /** When the answers arrived that are being taken in, ms; 0 before the first of them. */
  #answersMs = 0

  /** @param onDrain called when a further task would be accepted again, after one was refused */
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

  /** Throws when the task would have to wait and no more may. */
  accept(task: Task): void {
    if (this.#maxQueue !== Number.POSITIVE_INFINITY && this.#isFullFor(task)) {
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

  /** The kinds have become known: tasks accepted before are counted anew. */
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

  /** Resolves when a further task would be accepted; at once if so already. */
  room(): Promise<void> {
    if (this.#hasRoom()) return Promise.resolve()
    return new Promise((resolve) => this.#roomWaiters.push(resolve))
  }

  /** Resolves when nothing is queued or running; at once if so already. */
  idle(): Promise<void> {
    if (this.unsettled === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idleWaiters.push(resolve))
  }

  /** One at a time: a crowd let in at once would find the room taken by the first of it. */
  #letOneIn(): void {
    if (this.#roomWaiters.length === 0 || !this.#hasRoom()) return
    this.#roomWaiters.shift()!()
    if (this.#roomWaiters.length === 0 || this.#nextScheduled) return
    // Whoever was let in may not take the room after all; then it is the next one's, although no task settles.
    this.#nextScheduled = true
    setImmediate(() => {
      this.#nextScheduled = false
      this.#letOneIn()
    })
  }

  /** Whether a further task would be accepted whichever its kind is. */
  #hasRoom(): boolean {
    if (this.waiting < this.#maxQueue) return true
    return this.#cpuUnsettled < this.#cpuCapacity && this.#ioUnsettled < this.#ioCapacity
  }

  #isFullFor(task: Task): boolean {
    const isIo = task.countedAs === 'io'
    const startsAtOnce = isIo ? this.#ioUnsettled < this.#ioCapacity : this.#cpuUnsettled < this.#cpuCapacity
    return !startsAtOnce && this.waiting >= this.#maxQueue
  }

  #settle(task: Task, outcome: TaskOutcome, nowMs: number): void {
    if (task.state === 'settled') throw new Error(`task "${task.name}" settled twice`)
    task.state = 'settled'
    const { tally } = task.stats
    tally.outcomes[outcome]++
    tally.totalTimes.record((nowMs - task.submittedMs) * 1000)
    if (task.countedAs === 'io') this.#ioUnsettled--
    else this.#cpuUnsettled--
    if (this.#wasFull && this.#hasRoom()) {
      this.#wasFull = false
      this.#onDrain()
    }
    this.#letOneIn()
    if (this.unsettled === 0 && this.#idleWaiters.length > 0) {
      for (const resolve of this.#idleWaiters.splice(0)) resolve()
    }
  }
}
