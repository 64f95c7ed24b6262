/**
 * The channel to one worker for one life of its thread: posts tasks in batches, takes in answers, takes posted
 * tasks back. It keeps count of what the worker holds; it decides nothing.
 */

import { type MessagePort, receiveMessageOnPort, type TransferListItem } from 'node:worker_threads'
import { askToEnd, doom, free, indexOf, isStarted, post, revoke, stateOf } from '../board/claims.js'
import { type Board, boardOf, CLAIMS_PER_LANE } from '../board/layout.js'
import { RowReader } from '../board/row-reader.js'
import {
  type AnswerBatch,
  answerKey,
  answerStatus,
  BATCH_START,
  BATCH_STRIDE,
  CPU_BATCH,
  IO_BATCH,
  SKIPPED,
  type TaskBatch,
  taskHead,
} from '../protocol/batch.js'
import type { DispatcherControl, WorkerControl } from '../protocol/control.js'
import type { WireError } from '../protocol/error-transfer.js'
import { refuseDetached } from '../protocol/transfer.js'
import type { LaneTask } from './lane-task.js'
import { isMoved } from './moved-payload.js'
import { TaskList } from './task-list.js'

/** Who hears of a lane's news. Called synchronously, in the order in which the worker posted. */
export interface LaneOwner<T extends LaneTask> {
  /** A task was answered and is no longer the lane's. `startedAt` in ticks, `runUs` in µs. */
  answered(lane: Lane<T>, task: T, status: number, value: unknown, startedAt: number, runUs: number): void
  /** An answer came to a task that was abandoned. */
  late(): void
  /** All answers of one message were handed over. */
  batchTaken(lane: Lane<T>): void
  /** The task's payload cannot be sent; it is no longer the lane's. */
  unsendable(task: T, error: unknown): void
  control(lane: Lane<T>, message: WorkerControl): void
}

export class Lane<T extends LaneTask> {
  readonly slot: number
  readonly row: RowReader
  /** Posted and unanswered tasks in the order they were posted; the worker claims in this order. */
  readonly cpu = new TaskList<T>()
  readonly io = new TaskList<T>()
  /** Sum over the CPU tasks held, ms. */
  expectedMs = 0
  /** Sum over all tasks held. */
  payloadBytes = 0
  /** When the first task of each kind was posted since the lane held none of it, ms. */
  cpuSinceMs = 0
  ioSinceMs = 0
  readonly #board: Board
  readonly #port: MessagePort
  readonly #owner: LaneOwner<T>
  readonly #tasks = new Array<T | undefined>(CLAIMS_PER_LANE).fill(undefined)
  /** Stack of the claim indices that are free. */
  readonly #free = Int32Array.from({ length: CLAIMS_PER_LANE }, (_, index) => CLAIMS_PER_LANE - 1 - index)
  #freeCount = CLAIMS_PER_LANE
  readonly #abandonedIo = new Set<number>()
  #cpuBatch: TaskBatch = [CPU_BATCH]
  #ioBatch: TaskBatch = [IO_BATCH]
  /** Task name to its index in the module that this life of the thread loaded. */
  #nameIndex = new Map<string, number>()

  constructor(port: MessagePort, board: SharedArrayBuffer, owner: LaneOwner<T>, slot: number) {
    this.slot = slot
    this.#port = port
    this.#board = boardOf(board)
    this.row = new RowReader(this.#board.row)
    this.#owner = owner
    port.on('message', (message: unknown) => this.#take(message))
    // In-flight work holds the process by the dispatcher's timer, never by a port.
    port.unref()
  }

  /** Tasks posted and not yet answered. */
  get outstanding(): number {
    return this.cpu.size + this.io.size
  }

  get freeWords(): number {
    return this.#freeCount
  }

  set names(names: readonly string[]) {
    this.#nameIndex = new Map(names.map((name, index) => [name, index]))
  }

  offers(name: string): boolean {
    return this.#nameIndex.has(name)
  }

  /** Adds the task to the batch that the next `flush` sends. There must be a free word, and the name be offered. */
  post(task: T, nowMs: number): void {
    const index = this.#free[--this.#freeCount]
    const key = post(this.#board.state, index)
    task.key = key
    this.#tasks[index] = task
    this.payloadBytes += task.payloadBytes
    const head = taskHead(this.#nameIndex.get(task.name)!, task.attempt, task.wantsProgress, task.wantsItems)
    if (task.kind === 'io') {
      if (this.io.size === 0) this.ioSinceMs = nowMs
      this.io.push(task)
    } else {
      if (this.cpu.size === 0) this.cpuSinceMs = nowMs
      this.cpu.push(task)
      this.expectedMs += task.expectedMs
    }
    if (isMoved(task)) {
      this.flush()
      const batch = task.kind === 'io' ? IO_BATCH : CPU_BATCH
      this.#send([batch, key, head, task.payload], task.transfer)
    } else (task.kind === 'io' ? this.#ioBatch : this.#cpuBatch).push(key, head, task.payload)
  }

  flush(): void {
    if (this.#cpuBatch.length > BATCH_START) {
      const batch = this.#cpuBatch
      this.#cpuBatch = [CPU_BATCH]
      this.#send(batch)
    }
    if (this.#ioBatch.length > BATCH_START) {
      const batch = this.#ioBatch
      this.#ioBatch = [IO_BATCH]
      this.#send(batch)
    }
  }

  /**
   * Takes unstarted tasks of one list back, newest first, until `enough` says so or a started one is met. The
   * worker claims in order, so nothing before a started task is unstarted. Returns them oldest first.
   */
  takeBack(list: TaskList<T>, enough: () => boolean = () => false): T[] {
    this.flush()
    const taken: T[] = []
    let task = list.last
    while (task !== undefined && !enough()) {
      const before = task.previous as T | undefined
      // What a task moved to the worker cannot be sent a second time: it stays, whatever becomes of the worker.
      if (!task.staysPut) {
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

  /** True when the task is the dispatcher's again, not to be posted anew if it was moved; false when the worker has started it. */
  takeBackOne(task: T): boolean {
    if (!revoke(this.#board.state, task.key)) return false
    // The word stays in use until the worker has skipped the message: no message may ever name a reused word.
    this.#release(task)
    return true
  }

  /** Reads the port without waiting for its event, so that a decision rests on every answer given. */
  readPort(): void {
    for (let entry = receiveMessageOnPort(this.#port); entry !== undefined; entry = receiveMessageOnPort(this.#port)) {
      this.#take(entry.message)
    }
  }

  stateOf(task: T): number {
    return stateOf(this.#board.state, task.key)
  }

  /** When the task was claimed, ticks; meaningful from the claim on. */
  startedAt(task: T): number {
    return this.#board.startedAt[indexOf(task.key)]
  }

  taskOf(key: number): T | undefined {
    const task = key < 0 ? undefined : this.#tasks[indexOf(key)]
    return task?.key === key ? task : undefined
  }

  /** The CPU task that holds the worker's turn. */
  get runningTask(): T | undefined {
    const index = this.row.running
    const task = index < 0 ? undefined : this.#tasks[index]
    if (task === undefined) return undefined
    return isStarted(this.#board.state, index) ? task : undefined
  }

  /** Whether the worker is in the middle of any task, also of one that was abandoned. O(claim words). */
  get isRunning(): boolean {
    return this.#board.state.some((_, index) => isStarted(this.#board.state, index))
  }

  /** Asks a running task to end; false when it is not running. */
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
    this.#port.postMessage(message)
  }

  /** After the thread's end: reads what it still posted, then closes. What is left in the lists has no answer. */
  close(): void {
    this.readPort()
    this.#port.close()
  }

  /** I/O tasks that were abandoned and still take their place in the worker. */
  get abandonedIo(): number {
    return this.#abandonedIo.size
  }

  /** Lets go of a task whose answer nobody waits for; its word is free once the answer comes. */
  abandon(task: T): void {
    if (task.kind === 'io') this.#abandonedIo.add(task.key)
    this.#release(task)
  }

  #release(task: T): void {
    this.#tasks[indexOf(task.key)] = undefined
    task.key = -1
    this.payloadBytes -= task.payloadBytes
    if (task.kind === 'io') this.io.remove(task)
    else {
      this.cpu.remove(task)
      // Sums of fractions drift; an empty lane holds exactly nothing.
      this.expectedMs = this.cpu.size === 0 ? 0 : this.expectedMs - task.expectedMs
    }
  }

  #send(batch: TaskBatch, transfer?: readonly TransferListItem[]): void {
    try {
      refuseDetached(transfer)
      this.#port.postMessage(batch, transfer)
    } catch (error) {
      this.#sendOneByOne(batch, error)
    }
  }

  /** One payload that cannot be cloned fails the whole message: its neighbours must not notice. */
  #sendOneByOne(batch: TaskBatch, error: unknown): void {
    if (batch.length === BATCH_START + BATCH_STRIDE) {
      const key = batch[BATCH_START] as number
      const task = this.taskOf(key)
      // The message was never sent, so its word is free at once.
      revoke(this.#board.state, key)
      this.#freeWord(key)
      if (task === undefined) return
      this.#release(task)
      this.#owner.unsendable(task, error)
      return
    }
    for (let at = BATCH_START; at < batch.length; at += BATCH_STRIDE) {
      this.#send([batch[0], batch[at], batch[at + 1], batch[at + 2]])
    }
  }

  #freeWord(key: number): void {
    free(this.#board.state, key)
    this.#free[this.#freeCount++] = indexOf(key)
  }

  #take(message: unknown): void {
    if (Array.isArray(message)) this.#takeAnswers(message)
    else this.#owner.control(this, message as WorkerControl)
  }

  #takeAnswers(answers: AnswerBatch): void {
    const { startedAt, runUs } = this.#board
    for (let at = 0; at < answers.length; at += 2) {
      const head = answers[at] as number
      const key = answerKey(head)
      const index = indexOf(key)
      const task = this.#tasks[index]
      const status = answerStatus(head)
      if (status !== SKIPPED && task !== undefined && task.key === key) {
        this.#release(task)
        this.#freeWord(key)
        this.#owner.answered(this, task, status, answers[at + 1], startedAt[index], runUs[index])
      } else {
        this.#freeWord(key)
        this.#abandonedIo.delete(key)
        if (status !== SKIPPED) this.#owner.late()
      }
    }
    this.#owner.batchTaken(this)
  }
}
