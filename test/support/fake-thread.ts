import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { Clock } from '../../src/base/clock.js'
import { claim, finish, indexOf } from '../../src/board/claims.js'
import { type Board, boardOf } from '../../src/board/layout.js'
import { IN_MESSAGE, ResultWriter } from '../../src/board/results.js'
import { RowWriter } from '../../src/board/row-writer.js'
import type { ExitCause, LoopTime, Thread, ThreadEvents } from '../../src/engine/supervisor.js'
import {
  ALONE,
  type AnswerBatch,
  answerHead,
  BATCH_START,
  BATCH_STRIDE,
  FAILED,
  headAttempt,
  headHasTree,
  headNameIndex,
  IO_BATCH,
  KIND_AT,
  OK,
  ON_BOARD,
  SKIPPED,
  type TaskBatch,
  type TaskKind,
  TREES_AT,
} from '../../src/protocol/batch.js'
import type { DispatcherControl, ThreadSettings, WorkerControl } from '../../src/protocol/control.js'
import { encodeError } from '../../src/protocol/error-transfer.js'
import { TreeReader, type Trees } from '../../src/protocol/small-tree.js'

function treeAt([values, shapes]: Trees, at: number): unknown {
  return new TreeReader(shapes).read(values, at)
}

/** A task that the fake thread holds. */
export interface HeldTask {
  readonly key: number
  readonly kind: TaskKind
  readonly name: string
  readonly payload: unknown
  readonly attempt: number
}

/**
 * An actor on the test's own thread that does to a real board and a real port what a worker does, one step at a
 * time: nothing is received, claimed, answered or sent unless the test says so.
 */
export class FakeThread implements Thread {
  threadId: number
  readonly worker = undefined
  isHeard = true
  readonly settings: ThreadSettings
  readonly board: Board = boardOf()
  readonly row: RowWriter
  /** Received and not yet looked at, oldest first. */
  readonly inbox: HeldTask[] = []
  readonly running: HeldTask[] = []
  /** Controls received. */
  readonly told: DispatcherControl[] = []
  /** Names of the messages that carried tasks, one list per message. */
  readonly batches: string[][] = []
  /** Whether `terminate` ends the thread at once; otherwise the test does. */
  diesWhenTerminated = true
  terminations = 0
  /** What `loopTime` tells. */
  loop: LoopTime = { idle: 0, active: 0 }
  readonly #clock: Clock
  readonly #events: ThreadEvents
  readonly #own: MessagePort
  readonly #remote: MessagePort
  #names: readonly string[] = []
  readonly #results: ResultWriter
  /** Messages of answers to be sent. */
  #letters: AnswerBatch[] = []
  #dead = false

  constructor(threadId: number, settings: ThreadSettings, events: ThreadEvents, clock: Clock) {
    this.threadId = threadId
    this.settings = settings
    this.#events = events
    this.#clock = clock
    this.row = new RowWriter(this.board.row)
    this.#results = new ResultWriter(this.board, (shapes) => this.say({ type: 'shapes', shapes }))
    const { port1, port2 } = new MessageChannel()
    this.#own = port1
    this.#remote = port2
  }

  get dead(): boolean {
    return this.#dead
  }

  // Life.

  hello(): this {
    this.#events.hello(this.#remote, this.board.buffer)
    return this
  }

  /** The module is imported; the message waits in the port. */
  loaded(names: readonly string[], kinds: readonly TaskKind[] = names.map(() => 'cpu')): this {
    this.#names = names
    this.say({ type: 'loaded', names, kinds })
    return this
  }

  loadFailed(error: unknown): this {
    this.say({ type: 'loadFailed', error: encodeError(error, () => true) })
    return this
  }

  /** Names as `loaded` gives them, for a lane that is driven without a crew. */
  knows(names: readonly string[]): this {
    this.#names = names
    return this
  }

  say(message: WorkerControl): void {
    this.#own.postMessage(message)
  }

  /** Posts what the dispatcher's side cannot read. */
  sayUnreadable(): void {
    Reflect.apply(Reflect.get(this.#remote, 'emit'), this.#remote, ['messageerror', new RangeError('stack')])
  }

  /** The thread ends; what it posted can still be read. */
  die(cause: ExitCause = { exitCode: 1 }): void {
    if (this.#dead) return
    this.#dead = true
    this.threadId = -1
    this.#events.exit(cause)
    this.#own.close()
  }

  terminate(): void {
    this.terminations++
    if (this.diesWhenTerminated) this.die({ exitCode: 1 })
  }

  loopTime(): LoopTime {
    return this.loop
  }

  // Signs of life.

  /** What a worker does when it goes from idle to busy. */
  wake(): void {
    this.row.active(this.#clock.nowMs())
  }

  beat(lagMs = 0): void {
    this.row.report(this.#clock.nowMs(), lagMs, this.inbox.length + this.running.length, 0)
  }

  // Work.

  /** Reads the port; returns how many tasks came. */
  receive(): number {
    let tasks = 0
    for (let entry = receiveMessageOnPort(this.#own); entry !== undefined; entry = receiveMessageOnPort(this.#own)) {
      if (Array.isArray(entry.message)) tasks += this.#accept(entry.message)
      else this.told.push(entry.message as DispatcherControl)
    }
    return tasks
  }

  /** Claims the oldest task of the kind that was not taken back; the messages of others are answered as skipped. */
  start(kind: TaskKind = 'cpu'): HeldTask | undefined {
    this.receive()
    for (;;) {
      const at = this.inbox.findIndex((held) => held.kind === kind)
      if (at < 0) return undefined
      const [held] = this.inbox.splice(at, 1)
      const nowMs = this.#clock.nowMs()
      this.board.startedAt[indexOf(held!.key)] = nowMs
      this.row.stamp(kind, nowMs)
      if (!claim(this.board.state, held!.key)) {
        this.#push(answerHead(held!.key, SKIPPED))
        continue
      }
      this.row.countStart()
      if (kind === 'cpu') this.row.running(indexOf(held!.key))
      this.running.push(held!)
      return held
    }
  }

  /** Marks a started task done and puts its answer into the outbox; false when the thread is doomed. */
  end(held: HeldTask, value: unknown, status: number = OK, runMs = 1): boolean {
    this.running.splice(this.running.indexOf(held), 1)
    this.board.runUs[indexOf(held.key)] = runMs * 1000
    this.row.stamp(held.kind, this.#clock.nowMs())
    const index = indexOf(held.key)
    const where = status === OK ? this.#results.write(index, value) : this.#results.writeNone(index)
    if (!finish(this.board.state, held.key)) return false
    if (held.kind === 'cpu') this.row.running(-1)
    if (where !== IN_MESSAGE) this.#push(answerHead(held.key, ON_BOARD + where))
    else {
      this.#letters.push([ALONE, answerHead(held.key, status), value])
      this.row.keeping(true)
    }
    return true
  }

  fail(held: HeldTask, error: unknown, runMs = 1): boolean {
    return this.end(
      held,
      encodeError(error, () => true),
      FAILED,
      runMs,
    )
  }

  /** Sends the outbox, if there is anything in it: true then. The answers wait in the dispatcher's port. */
  answer(): boolean {
    if (this.#letters.length === 0) return false
    for (const letter of this.#letters.splice(0)) this.#own.postMessage(letter)
    this.row.keeping(false)
    return true
  }

  /** Runs all it has been sent, each task for `runMs` of no time at all, and answers with the payloads. */
  runAll(kind: TaskKind = 'cpu', runMs = 1): string[] {
    const names: string[] = []
    for (let held = this.start(kind); held !== undefined; held = this.start(kind)) {
      names.push(held.name)
      this.end(held, held.payload, OK, runMs)
    }
    this.answer()
    return names
  }

  /** Frees the ports of a thread that a test leaves alive. */
  dispose(): void {
    this.#own.close()
  }

  #push(head: number): void {
    const last = this.#letters.at(-1)
    if (last === undefined || last[0] === ALONE) this.#letters.push([head])
    else (last as number[]).push(head)
    this.row.keeping(true)
  }

  #accept(batch: TaskBatch): number {
    const kind: TaskKind = batch[KIND_AT] === IO_BATCH ? 'io' : 'cpu'
    const names: string[] = []
    for (let at = BATCH_START; at < batch.length; at += BATCH_STRIDE) {
      const [key, head, sent] = batch.slice(at, at + BATCH_STRIDE) as [number, number, unknown]
      const payload = headHasTree(head) ? treeAt(batch[TREES_AT] as Trees, sent as number) : sent
      const name = this.#names[headNameIndex(head)]!
      names.push(name)
      this.inbox.push({ key, kind, name, payload, attempt: headAttempt(head) })
    }
    this.batches.push(names)
    return names.length
  }
}
