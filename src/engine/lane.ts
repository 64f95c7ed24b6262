/**
 * The channel to one worker for one life of its thread: posts tasks, receives answers, takes posted tasks back. It
 * counts what the worker holds. It decides nothing.
 */

import type { MessagePort } from 'node:worker_threads'
import type { Clock } from '../base/clock.js'
import type { LinkedList } from '../base/linked-list.js'
import { askToEnd, DONE, doom, indexOf, isStarted, REVOKED, revoke, stateOf } from '../board/claims.js'
import { type Board, boardOf, CLAIMS_PER_LANE } from '../board/layout.js'
import { IN_MESSAGE, ResultReader } from '../board/results.js'
import { RowReader } from '../board/row-reader.js'
import {
  ALONE,
  type AnswerBatch,
  answerKey,
  answerStatus,
  BATCH_START,
  BATCH_STRIDE,
  FAILED,
  OK,
  ON_BOARD,
  SKIPPED,
  type TaskBatch,
  taskHead,
} from '../protocol/batch.js'
import { unreadableFault, unreadableWire } from '../protocol/clone-rejection.js'
import type { DispatcherControl, WorkerControl } from '../protocol/control.js'
import { CountedPort } from '../protocol/counted-port.js'
import { decodeError, type WireError } from '../protocol/error-transfer.js'
import { HeardValues } from './heard-values.js'
import { HeldTasks } from './held-tasks.js'
import { isMoved, type LaneTask } from './lane-task.js'
import { TaskSender } from './task-sender.js'
import { WordTable } from './word-table.js'

/** The receiver of a lane's events. Called synchronously, in the order in which the worker posted. */
export interface LaneOwner<T extends LaneTask> {
  /** A task was answered and has left the lane. `startedAt` in ms of the shared clock, `runUs` in µs. */
  answered(lane: Lane<T>, task: T, status: number, value: unknown, startedAt: number, runUs: number): void
  /** An abandoned task was answered. */
  late(): void
  /** All answers of one message were passed on. */
  batchTaken(lane: Lane<T>): void
  /** The task's payload cannot be sent or read. The task has left the lane. */
  unsendable(task: T, error: unknown): void
  /** The task was not started and has left the lane: the worker could not read its message because of another task. */
  unread(task: T): void
  /** An item or progress value of a running task cannot be read, so what the caller gets is incomplete. */
  unheard(task: T, error: unknown): void
  control(lane: Lane<T>, message: WorkerControl): void
}

export class Lane<T extends LaneTask> extends HeldTasks<T> {
  readonly slot: number
  readonly row: RowReader
  /** Posting time of all tasks held, µs. Reading takes a worker about as long, without a sign of life. */
  postingUs = 0
  readonly #board: Board
  readonly #port: CountedPort
  readonly #owner: LaneOwner<T>
  readonly #words: WordTable<T>
  /** By word: posting time of the message that begins with it, µs. */
  readonly #postingUs = new Float64Array(CLAIMS_PER_LANE)
  readonly #heard: HeardValues
  readonly #abandonedIo = new Set<number>()
  readonly #results: ResultReader
  /** Keys of tasks whose results were read from the board before their answers came. */
  readonly #takenEarly = new Set<number>()
  readonly #sender: TaskSender
  /** Index of each task name in the module that this thread loaded. */
  #nameIndex = new Map<string, number>()

  constructor(port: MessagePort, board: SharedArrayBuffer, owner: LaneOwner<T>, slot: number, clock: Clock) {
    super()
    this.slot = slot
    this.#port = new CountedPort(port)
    this.#board = boardOf(board)
    this.#words = new WordTable(this.#board)
    this.#results = new ResultReader(this.#board)
    this.#heard = new HeardValues(this.#board)
    this.row = new RowReader(this.#board.row)
    this.#owner = owner
    this.#sender = new TaskSender(this.#port, clock, {
      sent: (batch, message, postingUs) => this.#sent(batch, message, postingUs),
      refused: (key, error) => this.#refused(key, error),
    })
    this.#port.listen({
      message: (message) => this.#take(message),
      unreadable: (number, error) => this.#unreadable(number, error),
    })
    // The dispatcher's timer keeps the process alive while there is work, never a port.
    this.#port.unref()
  }

  get freeWords(): number {
    return this.#words.freeCount
  }

  set names(names: readonly string[]) {
    this.#nameIndex = new Map(names.map((name, index) => [name, index]))
  }

  offers(name: string): boolean {
    return this.#nameIndex.has(name)
  }

  /**
   * Adds the task to the batch that the next `flush` sends, or sends it now if its payload must not share a message
   * (see `small-tree.ts`). There must be a free word, and the worker's module must have the task.
   */
  post(task: T, nowMs: number): void {
    const key = this.#words.take(task)
    task.key = key
    const index = indexOf(key)
    this.#heard.begin(index)
    this.#postingUs[index] = 0
    task.repostUs = 0
    const isIo = task.kind === 'io'
    this.add(task, nowMs)
    const head = taskHead(this.#nameIndex.get(task.name)!, task.attempt, task.wantsProgress, task.wantsItems)
    // From here on getters of the payload may run. Whatever they do, the task is in the lane already.
    if (task.travelsAlone || isMoved(task) || !this.#sender.add(isIo, key, head, task.payload)) {
      this.#sender.sendAlone(isIo, key, head, task.payload, task.transfer)
      task.repostUs = this.#postingUs[index]
    }
  }

  flush(): void {
    this.#sender.flush()
  }

  /**
   * Takes unstarted tasks of one list back, newest first, until `enough` returns true or a started task is met. Tasks
   * that may not `move` stay. The worker claims in order, so all tasks before a started one are started. Returns the
   * tasks oldest first.
   */
  takeBack(list: LinkedList<T>, enough: () => boolean = () => false, mayMove: (task: T) => boolean = () => true): T[] {
    this.flush()
    const taken: T[] = []
    let task = list.last
    while (task !== undefined && !enough()) {
      const before = task.previous as T | undefined
      // A task with moved objects cannot be sent again, so it stays.
      if (!task.staysPut && mayMove(task)) {
        if (!this.takeBackOne(task)) break
        taken.push(task)
      }
      task = before
    }
    return taken.reverse()
  }

  takeBackAll(): T[] {
    return [...this.takeBack(this.cpu), ...this.takeBack(this.io)]
  }

  /** True when the task was taken back, false when the worker has started it. A moved task must not be posted again. */
  takeBackOne(task: T): boolean {
    if (!revoke(this.#board.state, task.key)) return false
    // The word stays in use until the worker has skipped the message, so that no message ever names a reused word.
    this.#release(task)
    return true
  }

  /**
   * Takes in all answers so far, without waiting for the port's event, so that a decision knows them. Of those that the
   * worker has not sent, these are the ones whose results are on the board.
   */
  readAnswers(): void {
    this.#port.read()
    if (this.row.keeping) this.#takeKept()
  }

  stateOf(task: T): number {
    return stateOf(this.#board.state, task.key)
  }

  /** When the task was claimed, ms. Valid from the claim on. */
  startedAt(task: T): number {
    return this.#board.startedAt[indexOf(task.key)]
  }

  taskOf(key: number): T | undefined {
    return this.#words.taskOf(key)
  }

  /** The CPU task that holds the worker's turn. */
  get runningTask(): T | undefined {
    const index = this.row.running
    const task = index < 0 ? undefined : this.#words.taskAt(index)
    if (task === undefined) return undefined
    return isStarted(this.#board.state, index) ? task : undefined
  }

  /** Whether the worker runs any task, including abandoned ones. O(claim words). */
  get isRunning(): boolean {
    return this.#board.state.some((_, index) => isStarted(this.#board.state, index))
  }

  /** Asks a running task to end. False when it is not running. */
  askToEnd(task: T, reason: WireError): boolean {
    if (!askToEnd(this.#board.state, task.key)) return false
    this.tell({ type: 'abort', key: task.key, reason })
    return true
  }

  /** Before the thread is terminated: true when the running task can no longer finish. */
  doom(task: T): boolean {
    return doom(this.#board.state, task.key)
  }

  tell(message: DispatcherControl): void {
    this.#port.post(message)
  }

  /** After the thread's end: takes in all answers that can be had, then closes. Tasks left in the lists have none. */
  close(): void {
    this.#takeKept()
    this.#port.close()
  }

  /** Abandoned I/O tasks that the worker still runs. */
  get abandonedIo(): number {
    return this.#abandonedIo.size
  }

  /** Removes a task whose answer is no longer wanted. Its word is free once the answer comes. */
  abandon(task: T): void {
    if (task.kind === 'io') this.#abandonedIo.add(task.key)
    this.#release(task)
  }

  #release(task: T): void {
    this.#words.forget(task.key)
    this.postingUs -= this.#postingUs[indexOf(task.key)]
    task.key = -1
    this.remove(task)
  }

  #sent(batch: TaskBatch, message: number, postingUs: number): void {
    for (let at = BATCH_START; at < batch.length; at += BATCH_STRIDE) this.#words.sent(batch[at] as number, message)
    // Once its first task is claimed, all of the message has been read.
    const first = batch[BATCH_START] as number
    if (this.taskOf(first) === undefined) return
    this.#postingUs[indexOf(first)] = postingUs
    this.postingUs += postingUs
  }

  /** The message was never sent. */
  #refused(key: number, error: unknown): void {
    const task = this.#dismiss(key)
    if (task !== undefined) this.#owner.unsendable(task, error)
  }

  /** The worker will never look at the word: it is freed, and so is its task unless that was taken back before. */
  #dismiss(key: number): T | undefined {
    const task = this.taskOf(key)
    revoke(this.#board.state, key)
    if (task !== undefined) this.#release(task)
    this.#words.free(key)
    return task
  }

  #take(message: unknown): void {
    if (Array.isArray(message)) this.#takeAnswers(message)
    else this.#takeControl(message as WorkerControl)
  }

  #takeAnswers(answers: AnswerBatch): void {
    if (answers[0] === ALONE) {
      const [, head, value] = answers as readonly [number, number, unknown]
      this.#takeAnswer(answerKey(head), answerStatus(head), value)
    } else {
      for (const head of answers as readonly number[]) {
        const key = answerKey(head)
        const index = indexOf(key)
        const task = this.#words.taskAt(index)
        const status = answerStatus(head)
        // Nearly all answers: the lane lists the task, and all its items and progress values (or none) were received.
        if (status > ON_BOARD && task?.key === key && this.#heard.isComplete(index)) {
          const result = this.#results.take(index, status - ON_BOARD)
          this.#words.free(key)
          this.#settle(task, OK, result)
        } else this.#takeAnswer(key, status, undefined)
      }
      this.#results.release()
    }
    this.#owner.batchTaken(this)
  }

  #takeAnswer(key: number, status: number, value: unknown): void {
    const task = status === SKIPPED ? undefined : this.taskOf(key)
    const index = indexOf(key)
    this.#words.free(key)
    if (task !== undefined) {
      if (status === FAILED || this.#heard.isComplete(index)) this.#settle(task, status, value)
      else this.#settle(task, FAILED, unreadableWire(task.wantsItems ? 'item' : 'progress'))
    } else if (!this.#takenEarly.delete(key) && status !== SKIPPED) {
      this.#abandonedIo.delete(key)
      this.#owner.late()
    }
  }

  /**
   * The worker keeps answers that it has not sent, maybe because a task blocks it. Results on the board are taken from
   * there. Their words stay in use until the answers come.
   */
  #takeKept(): void {
    // First see which tasks are done, then read the port: what a task said before its end is taken in before its result.
    const done = [this.cpu, this.io].flatMap((list) => [...list].filter((task) => this.stateOf(task) === DONE))
    const keys = done.map(({ key }) => key)
    this.#port.read()
    let isAnyTaken = false
    for (const [at, task] of done.entries()) {
      const index = indexOf(keys[at]!)
      const where = this.#results.placeOf(index)
      if (task.key !== keys[at] || where === IN_MESSAGE || !this.#heard.isComplete(index)) continue
      this.#takenEarly.add(task.key)
      isAnyTaken = true
      this.#settle(task, OK, this.#results.read(index, where))
    }
    if (isAnyTaken) this.#owner.batchTaken(this)
  }

  /** The task leaves the lane with its answer. */
  #settle(task: T, status: number, value: unknown): void {
    const { startedAt, runUs } = this.#board
    const index = indexOf(task.key)
    this.#release(task)
    this.#owner.answered(this, task, status, value, startedAt[index], Math.floor(runUs[index]))
  }

  #takeControl(message: WorkerControl): void {
    if (message.type === 'shapes') this.#results.learn(message.shapes)
    else if (message.type === 'unreadable') this.#unread(message.message, decodeError(message.error), message)
    else if (message.type !== 'item' && message.type !== 'progress') this.#owner.control(this, message)
    else {
      const task = this.taskOf(message.key)
      if (task === undefined) return
      // An earlier one could not be read: nothing after the gap is passed on.
      if (this.#heard.count(indexOf(message.key), message.position)) this.#owner.control(this, message)
      else this.#unheard(task)
    }
  }

  /** The worker could not read the message of this number. */
  #unread(message: number, error: unknown, control: WorkerControl): void {
    const keys = this.#words.namedBy(message)
    for (const key of keys) {
      const task = this.#dismiss(key)
      if (task === undefined) continue
      if (keys.length === 1) this.#owner.unsendable(task, unreadableFault(error, 'worker'))
      else {
        task.travelsAlone = true
        this.#owner.unread(task)
      }
    }
    if (keys.length === 0) this.#owner.control(this, control)
    else this.#owner.batchTaken(this)
  }

  /** A message of the worker cannot be read here. The claim words name the message, and so its tasks. */
  #unreadable(number: number, error: unknown): void {
    const keys = this.#words.answeredBy(number)
    for (const key of keys) {
      const isSkipped = stateOf(this.#board.state, key) === REVOKED
      this.#takeAnswer(key, isSkipped ? SKIPPED : FAILED, isSkipped ? undefined : unreadableWire('result', error))
    }
    if (keys.length > 0) this.#owner.batchTaken(this)
    else this.#findUnheard(number, error)
  }

  /**
   * An item or a progress value was lost. If its task has sent more since, the gap before that, or the answer, shows
   * the loss.
   */
  #findUnheard(number: number, error: unknown): void {
    for (const list of [this.cpu, this.io]) {
      for (const task of list) {
        if (speaks(task) && this.#heard.wasSentIn(task.key, number)) this.#unheard(task, error)
      }
    }
  }

  #unheard(task: T, error?: unknown): void {
    if (!this.#heard.lose(indexOf(task.key))) return
    this.#owner.unheard(task, decodeError(unreadableWire(task.wantsItems ? 'item' : 'progress', error)))
  }
}

function speaks(task: LaneTask): boolean {
  return task.wantsItems || task.wantsProgress
}
