/**
 * Runs accepted tasks. Batches only fill the inboxes; passes on `setImmediate` empty them under a time budget, so
 * that timers, sockets and the beat get their turn of the event loop however much is queued (Node delivers a
 * thousand port messages per turn, and would starve them if tasks ran in the handler).
 *
 * CPU tasks run one at a time: a synchronous one ends before the next is looked at, an asynchronous one holds the
 * turn until it settles. I/O tasks start at once, up to `ioWindow` side by side.
 */

import type { AsyncLocalStorage } from 'node:async_hooks'
import { getHeapStatistics } from 'node:v8'
import type { MessagePort } from 'node:worker_threads'
import type { Clock, Timer } from '../src/base/clock.js'
import { claim, finish, indexOf } from '../src/board/claims.js'
import { type Board, ticksOf } from '../src/board/layout.js'
import type { RowWriter } from '../src/board/row-writer.js'
import {
  headAttempt,
  headNameIndex,
  headWantsProgress,
  IO_BATCH,
  type TaskBatch,
  type TaskKind,
} from '../src/protocol/batch.js'
import type { ThreadSettings, WorkerControl } from '../src/protocol/control.js'
import type { WireError } from '../src/protocol/error-transfer.js'
import { Inbox } from './inbox.js'
import { Outbox } from './outbox.js'
import { type ContextHost, TaskContext } from './task-context.js'
import type { RegisteredTask, TaskModule } from './task-registry.js'

/** A pass gives the event loop back after this long, ms; a beat is then at most this much late on a healthy worker. */
const PASS_BUDGET_MS = 4
/** Between two beats, ms. */
const BEAT_PERIOD_MS = 20
/** A name whose decaying peak is above this may block: answers are sent before it starts, ms. */
const MAY_BE_LONG_MS = 0.3
/** Of the peak, per run. */
const PEAK_DECAY = 0.99
/** Heap statistics cost microseconds: one beat in this many reads them. */
const BEATS_PER_HEAP_READ = 25
/** Largest run time that a word of the board holds, µs. */
const MAX_RUN_US = 2 ** 31 - 1

interface Parts {
  board: Board
  row: RowWriter
  port: MessagePort
  owner: AsyncLocalStorage<TaskContext>
  clock: Clock
  settings: ThreadSettings
}

export class Executor {
  readonly #board: Board
  readonly #row: RowWriter
  readonly #owner: AsyncLocalStorage<TaskContext>
  readonly #clock: Clock
  readonly #ioWindow: number
  readonly #host: ContextHost
  readonly #outbox: Outbox
  readonly #cpu = new Inbox()
  readonly #io = new Inbox()
  readonly #ioRunning = new Map<number, TaskContext>()
  #tasks: readonly RegisteredTask[] = []
  /** The asynchronous CPU task that holds the turn. */
  #turn: TaskContext | undefined
  #passScheduled = false
  #passEndsAt = 0
  #beat: Timer | undefined
  #lastBeatMs = 0
  #beats = 0
  #workedSinceBeat = false
  /** Set when the dispatcher is about to terminate the thread: nothing is claimed or answered any more. */
  #doomed = false

  constructor({ board, row, port, owner, clock, settings }: Parts) {
    this.#board = board
    this.#row = row
    this.#owner = owner
    this.#clock = clock
    this.#ioWindow = settings.ioWindow
    this.#outbox = new Outbox(port)
    this.#host = {
      slot: settings.slot,
      claims: board.state,
      progress: (key, value) => port.postMessage({ type: 'progress', key, value } satisfies WorkerControl),
    }
  }

  /** From now on tasks are looked up in this module. */
  use(module: TaskModule): void {
    this.#tasks = module.tasks
  }

  accept(batch: TaskBatch): void {
    const inbox = batch[0] === IO_BATCH ? this.#io : this.#cpu
    inbox.push(batch)
    if (this.#beat === undefined) this.#startBeat()
    this.#schedulePass()
  }

  abort(key: number, reason: WireError): void {
    const context = this.#turn?.key === key ? this.#turn : this.#ioRunning.get(key)
    context?.abort(reason)
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
    const now = this.#clock.nowMs()
    this.#passEndsAt = now + PASS_BUDGET_MS
    this.#startIo(now)
    if (this.#turn === undefined) this.#runCpu(this.#clock.nowMs())
    this.#endPass()
  }

  #endPass(): void {
    this.#outbox.flush()
    const more = this.#turn === undefined && this.#cpu.size > 0
    if (more || (this.#io.size > 0 && this.#ioRunning.size < this.#ioWindow)) this.#schedulePass()
  }

  /** Runs CPU tasks until none is left, the budget is spent, or one holds the turn. */
  #runCpu(startMs: number): void {
    const inbox = this.#cpu
    let nowMs = startMs
    while (nowMs < this.#passEndsAt && !this.#doomed && inbox.next()) {
      const { key, head } = inbox
      if (!this.#claim('cpu', key, nowMs)) continue
      const task = this.#tasks[headNameIndex(head)]
      if (task.peakMs > MAY_BE_LONG_MS) this.#outbox.flush()
      const context = new TaskContext(this.#host, key, headAttempt(head), headWantsProgress(head))
      this.#row.running(indexOf(key))
      let result: unknown
      try {
        this.#owner.enterWith(context)
        result = task.run(inbox.payload, context)
        if (isThenable(result)) {
          this.#turn = context
          this.#follow(result, task, context, nowMs)
          return
        }
      } catch (error) {
        nowMs = this.#finish(task, context, nowMs)
        if (!this.#doomed) this.#outbox.failed(key, error, nowMs)
        continue
      }
      nowMs = this.#finish(task, context, nowMs)
      if (!this.#doomed) this.#outbox.ok(key, result, nowMs)
    }
    this.#row.running(-1)
  }

  #startIo(startMs: number): void {
    const inbox = this.#io
    while (this.#ioRunning.size < this.#ioWindow && !this.#doomed && inbox.next()) {
      const { key, head } = inbox
      if (!this.#claim('io', key, startMs)) continue
      const task = this.#tasks[headNameIndex(head)]
      const context = new TaskContext(this.#host, key, headAttempt(head), headWantsProgress(head))
      this.#ioRunning.set(key, context)
      const began = this.#clock.nowMs()
      const payload = inbox.payload
      let result: unknown
      try {
        this.#owner.enterWith(context)
        result = task.run(payload, context)
      } catch (error) {
        this.#settleIo(task, context, began, false, error)
        continue
      }
      if (isThenable(result)) this.#follow(result, task, context, began)
      else this.#settleIo(task, context, began, true, result)
    }
  }

  /** True when the task is ours to run. The start time stands before the claim is seen. */
  #claim(kind: TaskKind, key: number, nowMs: number): boolean {
    const ticks = ticksOf(nowMs)
    this.#board.startedAt[indexOf(key)] = ticks
    this.#row.stamp(kind, ticks)
    this.#workedSinceBeat = true
    if (claim(this.#board.state, key)) {
      this.#row.countStart()
      return true
    }
    this.#outbox.skipped(key, nowMs)
    return false
  }

  /** Ends the task on the board; the time it ended is the time the next one may start. */
  #finish(task: RegisteredTask, context: TaskContext, beganMs: number): number {
    const nowMs = this.#clock.nowMs()
    const runMs = nowMs - beganMs
    task.peakMs = task.peakMs === Number.POSITIVE_INFINITY ? runMs : Math.max(runMs, task.peakMs * PEAK_DECAY)
    context.running = false
    this.#board.runUs[indexOf(context.key)] = runMs * 1000 < MAX_RUN_US ? runMs * 1000 : MAX_RUN_US
    this.#row.stamp(task.kind, ticksOf(nowMs))
    if (!finish(this.#board.state, context.key)) this.#doomed = true
    return nowMs
  }

  #follow(result: PromiseLike<unknown>, task: RegisteredTask, context: TaskContext, beganMs: number): void {
    const settle = (ok: boolean, value: unknown) => {
      if (this.#turn === context) this.#settleTurn(task, context, beganMs, ok, value)
      else this.#settleIo(task, context, beganMs, ok, value)
    }
    // A foreign thenable may throw, call back twice, or call back at once: a promise around it does none of these.
    Promise.resolve(result).then(
      (value) => settle(true, value),
      (error) => settle(false, error),
    )
  }

  #settleTurn(task: RegisteredTask, context: TaskContext, beganMs: number, ok: boolean, value: unknown): void {
    const nowMs = this.#finish(task, context, beganMs)
    this.#turn = undefined
    if (this.#doomed) return
    if (ok) this.#outbox.ok(context.key, value, nowMs)
    else this.#outbox.failed(context.key, value, nowMs)
    // Within the pass's budget the next task starts in this microtask; later, a new pass gives the loop its turn.
    this.#runCpu(nowMs)
    this.#schedulePass()
  }

  #settleIo(task: RegisteredTask, context: TaskContext, beganMs: number, ok: boolean, value: unknown): void {
    this.#ioRunning.delete(context.key)
    const nowMs = this.#finish(task, context, beganMs)
    if (this.#doomed) return
    if (ok) this.#outbox.ok(context.key, value, nowMs)
    else this.#outbox.failed(context.key, value, nowMs)
    this.#schedulePass()
  }

  #startBeat(): void {
    this.#lastBeatMs = this.#clock.nowMs()
    this.#row.active(this.#lastBeatMs)
    this.#readHeap()
    this.#beat = this.#clock.every(BEAT_PERIOD_MS, () => this.#onBeat())
  }

  #onBeat(): void {
    const nowMs = this.#clock.nowMs()
    const lagMs = Math.max(0, nowMs - this.#lastBeatMs - BEAT_PERIOD_MS)
    this.#lastBeatMs = nowMs
    const cpuDepth = this.#cpu.size + (this.#turn === undefined ? 0 : 1)
    const ioDepth = this.#io.size + this.#ioRunning.size
    const idle = cpuDepth === 0 && ioDepth === 0 && !this.#workedSinceBeat
    this.#workedSinceBeat = false
    if (++this.#beats % BEATS_PER_HEAP_READ === 0) this.#readHeap()
    if (idle) {
      this.#beat?.stop()
      this.#beat = undefined
      this.#row.idle(nowMs)
    } else this.#row.report(nowMs, lagMs, cpuDepth, ioDepth)
  }

  #readHeap(): void {
    const heap = getHeapStatistics()
    this.#row.heap(heap.used_heap_size, heap.heap_size_limit)
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    typeof (value as PromiseLike<unknown>).then === 'function'
  )
}
