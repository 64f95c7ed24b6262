/**
 * Runs accepted tasks. Messages only fill the inboxes. Passes on `setImmediate` empty them, each within a time budget,
 * so timers, sockets and the beat get their turn of the event loop. If tasks ran in the message handler, they would
 * starve: Node delivers a thousand port messages per turn.
 *
 * CPU tasks run one at a time: an asynchronous one holds the turn until it settles. I/O tasks start at once, up to
 * `ioWindow` side by side.
 */

import type { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../src/base/clock.js'
import { isThenable } from '../src/base/thenable.js'
import { setImmediate } from '../src/base/timers.js'
import { claim, finish, indexOf } from '../src/board/claims.js'
import type { Board } from '../src/board/layout.js'
import { IN_MESSAGE, ResultWriter } from '../src/board/results.js'
import type { RowWriter } from '../src/board/row-writer.js'
import {
  headAttempt,
  headNameIndex,
  headWantsItems,
  headWantsProgress,
  IO_BATCH,
  KIND_AT,
  type TaskBatch,
  type TaskKind,
} from '../src/protocol/batch.js'
import type { ThreadSettings, WorkerControl } from '../src/protocol/control.js'
import type { CountedPort } from '../src/protocol/counted-port.js'
import type { WireError } from '../src/protocol/error-transfer.js'
import { Beat } from './beat.js'
import { Inbox } from './inbox.js'
import { ItemStreams } from './item-streams.js'
import type { Owner } from './last-words.js'
import { Outbox } from './outbox.js'
import { SideMessages } from './side-messages.js'
import { type ContextHost, TaskContext } from './task-context.js'
import type { RegisteredTask, TaskModule } from './task-registry.js'

/** Time budget of each half of a pass (I/O, then CPU), ms. A healthy worker's beat is late by at most both. */
const PASS_BUDGET_MS = 4

interface Parts {
  board: Board
  row: RowWriter
  port: CountedPort
  owner: AsyncLocalStorage<Owner>
  clock: Clock
  settings: ThreadSettings
}

export class Executor {
  readonly #board: Board
  readonly #row: RowWriter
  readonly #owner: AsyncLocalStorage<Owner>
  readonly #clock: Clock
  readonly #ioWindow: number
  readonly #reportsHeap: boolean
  readonly #host: ContextHost
  readonly #results: ResultWriter
  readonly #outbox: Outbox
  readonly #beat: Beat
  readonly #messages: SideMessages
  readonly #streams: ItemStreams
  readonly #cpu = new Inbox()
  readonly #io = new Inbox()
  readonly #ioRunning = new Map<number, TaskContext>()
  #tasks: readonly RegisteredTask[] = []
  /** The asynchronous CPU task that holds the turn. */
  #turn: TaskContext | undefined
  #passScheduled = false
  #passEndsAt = 0
  /** True when the dispatcher is about to terminate the thread. Then nothing more is claimed. */
  #doomed = false

  constructor({ board, row, port, owner, clock, settings }: Parts) {
    this.#board = board
    this.#row = row
    this.#owner = owner
    this.#clock = clock
    this.#ioWindow = settings.ioWindow
    this.#reportsHeap = settings.reportsHeap
    this.#results = new ResultWriter(board, (shapes) => port.post({ type: 'shapes', shapes } satisfies WorkerControl))
    this.#outbox = new Outbox(port, board, row)
    this.#messages = new SideMessages(port, board, row)
    this.#streams = new ItemStreams(this.#messages)
    this.#beat = new Beat(row, clock, this)
    this.#host = {
      slot: settings.slot,
      claims: board.state,
      progress: (key, value) => this.#messages.send('progress', key, value),
    }
  }

  get cpuDepth(): number {
    return this.#cpu.size + (this.#turn === undefined ? 0 : 1)
  }

  get ioDepth(): number {
    return this.#io.size + this.#ioRunning.size
  }

  /** Sets the module whose tasks are run. */
  use(module: TaskModule): void {
    this.#tasks = module.tasks
  }

  accept(batch: TaskBatch): void {
    const isIo = batch[KIND_AT] === IO_BATCH
    const inbox = isIo ? this.#io : this.#cpu
    inbox.push(batch)
    // Node may deliver hundreds of messages before a task gets its turn. Each message that was read is progress.
    this.#row.stamp(isIo ? 'io' : 'cpu', this.#clock.nowMs())
    this.#beat.wake()
    this.#schedulePass()
  }

  abort(key: number, reason: WireError): void {
    const context = this.#turn?.key === key ? this.#turn : this.#ioRunning.get(key)
    // An error thrown by an abort listener belongs to the task.
    if (context !== undefined) this.#owner.run(context, () => context.abort(reason))
  }

  credit(key: number, count: number): void {
    this.#streams.credit(key, count)
  }

  flush(): void {
    this.#outbox.flush()
  }

  #schedulePass(): void {
    if (this.#passScheduled) return
    this.#passScheduled = true
    setImmediate(this.#pass)
  }

  readonly #pass = (): void => {
    this.#passScheduled = false
    let nowMs = this.#clock.nowMs()
    if (this.#io.size > 0) nowMs = this.#startIo(nowMs)
    // Its own budget, so that I/O tasks that compute before their first wait do not keep CPU tasks from starting.
    this.#passEndsAt = nowMs + PASS_BUDGET_MS
    if (this.#turn === undefined) this.#runCpu(nowMs)
    this.#endPass()
  }

  #endPass(): void {
    this.#outbox.flushAfterOutput()
    if (this.#doomed) return
    const more = this.#turn === undefined && this.#cpu.size > 0
    if (more || (this.#io.size > 0 && this.#ioRunning.size < this.#ioWindow)) this.#schedulePass()
  }

  /** Runs CPU tasks until none is left, the budget is spent, or one holds the turn. */
  #runCpu(startMs: number): void {
    const inbox = this.#cpu
    let nowMs = startMs
    this.#outbox.tasksRun()
    while (nowMs < this.#passEndsAt && !this.#doomed && inbox.next()) {
      const { key, head } = inbox
      const payload = inbox.takePayload()
      if (!this.#claim('cpu', key, nowMs)) continue
      const task = this.#tasks[headNameIndex(head)]
      if (task.runTimes.mayBeLong(nowMs)) this.#outbox.flush()
      const context = new TaskContext(this.#host, key, headAttempt(head), headWantsProgress(head))
      this.#row.running(indexOf(key))
      let ok = true
      let value: unknown
      try {
        this.#owner.enterWith(context)
        value = headWantsItems(head) ? this.#streams.run(task, payload, context) : task.run(payload, context)
        if (isThenable(value)) {
          this.#turn = context
          void this.#follow(value, task, context, nowMs)
          return
        }
      } catch (error) {
        ok = false
        value = error
      }
      nowMs = this.#settle(task, context, nowMs, ok, value)
    }
    // A dispatcher that dooms the thread reads here which task ran.
    if (!this.#doomed) this.#row.running(-1)
  }

  /** Starts I/O tasks until none is left, the window is full or the budget is spent. Returns the time after. */
  #startIo(startMs: number): number {
    const inbox = this.#io
    const endsAt = startMs + PASS_BUDGET_MS
    let nowMs = startMs
    this.#outbox.tasksRun()
    while (nowMs < endsAt && this.#ioRunning.size < this.#ioWindow && !this.#doomed && inbox.next()) {
      const { key, head } = inbox
      const payload = inbox.takePayload()
      if (!this.#claim('io', key, nowMs)) continue
      const task = this.#tasks[headNameIndex(head)]
      if (task.runTimes.mayBeLong(nowMs)) this.#outbox.flush()
      const context = new TaskContext(this.#host, key, headAttempt(head), headWantsProgress(head))
      this.#ioRunning.set(key, context)
      const beganMs = nowMs
      let ok = true
      let value: unknown
      let waits = false
      try {
        this.#owner.enterWith(context)
        value = headWantsItems(head) ? this.#streams.run(task, payload, context) : task.run(payload, context)
        waits = isThenable(value)
      } catch (error) {
        ok = false
        value = error
      }
      nowMs = this.#clock.nowMs()
      task.runTimes.note(nowMs - beganMs, nowMs)
      if (waits) void this.#follow(value as PromiseLike<unknown>, task, context, beganMs)
      else this.#settleIo(task, context, beganMs, ok, value)
    }
    return nowMs
  }

  /** True when the task is claimed. The start time is written before the claim can be seen. */
  #claim(kind: TaskKind, key: number, nowMs: number): boolean {
    this.#board.startedAt[indexOf(key)] = nowMs
    this.#row.stamp(kind, nowMs)
    this.#beat.worked = true
    if (claim(this.#board.state, key)) {
      this.#messages.begin(key)
      this.#row.countStart()
      return true
    }
    this.#outbox.skipped(key, nowMs)
    return false
  }

  /**
   * Marks the task done on the board and answers. Returns the start time of the next task, which excludes the time that
   * sending the value took.
   */
  #settle(task: RegisteredTask, context: TaskContext, beganMs: number, ok: boolean, value: unknown): number {
    const nowMs = this.#clock.nowMs()
    const runMs = nowMs - beganMs
    const { key } = context
    context.running = false
    // An I/O task can only block before its first wait. How long that took was noted at its start.
    if (task.kind === 'cpu') task.runTimes.note(runMs, nowMs)
    const index = indexOf(key)
    this.#board.runUs[index] = runMs * 1000
    this.#row.stamp(task.kind, nowMs)
    // Before the answer, because on the answer the dispatcher decides by the heap's size after the task.
    if (this.#reportsHeap) this.#beat.readHeap()
    // Also before the task is marked done: from then on the dispatcher may read the result.
    const where = ok ? this.#results.write(index, value) : this.#results.writeNone(index)
    if (!finish(this.#board.state, key)) {
      this.#doomed = true
      return nowMs
    }
    if (where !== IN_MESSAGE) {
      this.#outbox.written(key, where, nowMs)
      return nowMs
    }
    if (ok) this.#outbox.ok(key, value, nowMs)
    else this.#outbox.failed(key, value, nowMs)
    return this.#clock.nowMs()
  }

  /** `await` makes any thenable safe: one that throws, or calls back twice or at once, still settles once. */
  async #follow(
    result: PromiseLike<unknown>,
    task: RegisteredTask,
    context: TaskContext,
    beganMs: number,
  ): Promise<void> {
    let ok = true
    let value: unknown
    try {
      value = await result
    } catch (error) {
      ok = false
      value = error
    }
    if (this.#turn === context) this.#settleTurn(task, context, beganMs, ok, value)
    else this.#settleIo(task, context, beganMs, ok, value)
  }

  #settleTurn(task: RegisteredTask, context: TaskContext, beganMs: number, ok: boolean, value: unknown): void {
    const nowMs = this.#settle(task, context, beganMs, ok, value)
    this.#turn = undefined
    // Within the budget the next task starts in this microtask. After that, a new pass gives the event loop its turn.
    this.#runCpu(nowMs)
    this.#schedulePass()
  }

  #settleIo(task: RegisteredTask, context: TaskContext, beganMs: number, ok: boolean, value: unknown): void {
    this.#ioRunning.delete(context.key)
    this.#settle(task, context, beganMs, ok, value)
    this.#schedulePass()
  }
}
