/**
 * The channel to one worker for one life of its thread: posts tasks, receives answers, takes posted tasks back. It
 * counts what the worker holds. It decides nothing.
 */

import type { MessagePort } from 'node:worker_threads'
import type { Clock } from '../base/clock.js'
import { LinkedList } from '../base/linked-list.js'
import { askToEnd, doom, indexOf, isStarted, REVOKED, revoke, stateOf } from '../board/claims.js'
import { type Board, boardOf, CLAIMS_PER_LANE } from '../board/layout.js'
import { RowReader } from '../board/row-reader.js'
import {
  ANSWERS_START,
  ANSWERS_STRIDE,
  type AnswerBatch,
  answerKey,
  answerStatus,
  BATCH_START,
  BATCH_STRIDE,
  FAILED,
  OK,
  OK_TREE,
  SKIPPED,
  type TaskBatch,
  TREES_AT,
  taskHead,
} from '../protocol/batch.js'
import { unreadableFault, unreadableWire } from '../protocol/clone-rejection.js'
import type { DispatcherControl, WorkerControl } from '../protocol/control.js'
import { CountedPort } from '../protocol/counted-port.js'
import { decodeError, type WireError } from '../protocol/error-transfer.js'
import { TreeReader, type Trees } from '../protocol/small-tree.js'
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

export class Lane<T extends LaneTask> {
  readonly slot: number
  readonly row: RowReader
  /** Posted and unanswered tasks in the order of posting, which is the order in which the worker claims. */
  readonly cpu = new LinkedList<T>()
  readonly io = new LinkedList<T>()
  /** Expected run time of all CPU tasks held, ms. */
  expectedMs = 0
  /** Binary payload of all tasks held, bytes. */
  payloadBytes = 0
  /** Posting time of all tasks held, µs. Reading takes a worker about as long, without a sign of life. */
  postingUs = 0
  /** By kind: when the lane, holding no task of it, was posted one, ms. */
  cpuSinceMs = 0
  ioSinceMs = 0
  readonly #board: Board
  readonly #port: CountedPort
  readonly #owner: LaneOwner<T>
  readonly #words: WordTable<T>
  /** By word: posting time of the message that begins with it, µs; items and progress values received of its task. */
  readonly #postingUs = new Float64Array(CLAIMS_PER_LANE)
  readonly #heard = new Int32Array(CLAIMS_PER_LANE)
  readonly #abandonedIo = new Set<number>()
  readonly #sender: TaskSender
  /** Index of each task name in the module that this thread loaded. */
  #nameIndex = new Map<string, number>()

  constructor(port: MessagePort, board: SharedArrayBuffer, owner: LaneOwner<T>, slot: number, clock: Clock) {
    this.slot = slot
    this.#port = new CountedPort(port)
    this.#board = boardOf(board)
    this.#words = new WordTable(this.#board)
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

  /** Tasks posted and not yet answered. */
  get outstanding(): number {
    return this.cpu.size + this.io.size
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
    this.#heard[index] = 0
    this.#postingUs[index] = 0
    task.repostUs = 0
    this.payloadBytes += task.payloadBytes
    const isIo = task.kind === 'io'
    if (isIo) {
      if (this.io.size === 0) this.ioSinceMs = nowMs
      this.io.push(task)
    } else {
      if (this.cpu.size === 0) this.cpuSinceMs = nowMs
      this.cpu.push(task)
      this.expectedMs += task.expectedMs
    }
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

  /** Reads the port without waiting for its event, so that a decision knows all answers sent so far. */
  readPort(): void {
    this.#port.read()
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

  /** After the thread's end: reads what it still posted, then closes. Tasks left in the lists have no answer. */
  close(): void {
    this.readPort()
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
    this.payloadBytes -= task.payloadBytes
    this.postingUs -= this.#postingUs[indexOf(task.key)]
    task.key = -1
    if (task.kind === 'io') this.io.remove(task)
    else {
      this.cpu.remove(task)
      // Sums of fractions drift, but an empty lane must hold exactly 0.
      this.expectedMs = this.cpu.size === 0 ? 0 : this.expectedMs - task.expectedMs
    }
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
    const { said } = this.#board
    const trees = answers[TREES_AT] === undefined ? undefined : new TreeReader(answers[TREES_AT] as Trees)
    for (let at = ANSWERS_START; at < answers.length; at += ANSWERS_STRIDE) {
      const head = answers[at] as number
      const key = answerKey(head)
      let status = answerStatus(head)
      let value = answers[at + 1]
      if (status === OK_TREE) {
        status = OK
        value = trees!.read(value as number)
      }
      const index = indexOf(key)
      const task = this.#words.taskAt(index)
      // Nearly all answers: the lane lists the task, and all its items and progress values (or none) were received.
      if (status === OK && task?.key === key && said[index] === this.#heard[index]) this.#settle(task, key, OK, value)
      else this.#takeAnswer(key, status, value)
    }
    this.#owner.batchTaken(this)
  }

  #takeAnswer(key: number, status: number, value: unknown): void {
    const task = status === SKIPPED ? undefined : this.taskOf(key)
    if (task === undefined) {
      this.#words.free(key)
      this.#abandonedIo.delete(key)
      if (status !== SKIPPED) this.#owner.late()
      return
    }
    const index = indexOf(key)
    if (status === FAILED || this.#board.said[index] === this.#heard[index]) this.#settle(task, key, status, value)
    else this.#settle(task, key, FAILED, unreadableWire(task.wantsItems ? 'item' : 'progress'))
  }

  #settle(task: T, key: number, status: number, value: unknown): void {
    const { startedAt, runUs } = this.#board
    const index = indexOf(key)
    this.#release(task)
    this.#words.free(key)
    this.#owner.answered(this, task, status, value, startedAt[index], Math.floor(runUs[index]))
  }

  #takeControl(message: WorkerControl): void {
    if (message.type === 'unreadable') this.#unread(message.message, decodeError(message.error), message)
    else if (message.type !== 'item' && message.type !== 'progress') this.#owner.control(this, message)
    else {
      const task = this.taskOf(message.key)
      if (task === undefined) return
      // An earlier one could not be read: nothing after the gap is passed on.
      const index = indexOf(message.key)
      if (message.position !== this.#heard[index]) this.#unheard(task)
      else {
        this.#heard[index]++
        this.#owner.control(this, message)
      }
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
        if (speaks(task) && Atomics.load(this.#board.saidIn, indexOf(task.key)) === number) this.#unheard(task, error)
      }
    }
  }

  #unheard(task: T, error?: unknown): void {
    const index = indexOf(task.key)
    if (this.#heard[index] < 0) return
    this.#heard[index] = INCOMPLETE
    this.#owner.unheard(task, decodeError(unreadableWire(task.wantsItems ? 'item' : 'progress', error)))
  }
}

function speaks(task: LaneTask): boolean {
  return task.wantsItems || task.wantsProgress
}

/** The value in `#heard` for a task of which something could not be read. */
const INCOMPLETE = -1
