import { AsyncLocalStorage } from 'node:async_hooks'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { free, indexOf, post, revoke, stateOf } from '../../src/board/claims.js'
import { boardOf } from '../../src/board/layout.js'
import { ResultReader } from '../../src/board/results.js'
import { RowReader } from '../../src/board/row-reader.js'
import { RowWriter } from '../../src/board/row-writer.js'
import {
  ALONE,
  type AnswerBatch,
  answerKey,
  answerStatus,
  CPU_BATCH,
  IO_BATCH,
  OK,
  ON_BOARD,
  type TaskBatch,
  type TaskKind,
  taskHead,
} from '../../src/protocol/batch.js'
import { CountedPort } from '../../src/protocol/counted-port.js'
import { Executor } from '../../workers/executor.js'
import type { Owner } from '../../workers/last-words.js'
import { RunTimes } from '../../workers/run-times.js'
import type { TaskFunction } from '../../workers/task-registry.js'
import { FakeClock } from '../support/fake-clock.js'

export interface ReadAnswer {
  readonly key: number
  readonly status: number
  readonly value: unknown
}

/** A real executor on the test's own thread: the test is its dispatcher, and its time stands still unless moved. */
export class DrivenExecutor {
  readonly clock = new FakeClock()
  readonly board = boardOf()
  readonly row = new RowReader(this.board.row)
  readonly #results = new ResultReader(this.board)
  readonly owner = new AsyncLocalStorage<Owner>()
  readonly executor: Executor
  /** One list per message of answers. */
  readonly batches: ReadAnswer[][] = []
  readonly others: unknown[] = []
  readonly #names: string[]
  readonly #kinds: readonly TaskKind[]
  readonly #channel = new MessageChannel()
  #nextWord = 0

  /** @param isKnown every name has run often enough to be known as short */
  constructor(functions: Record<string, TaskFunction>, io: readonly string[] = [], ioWindow = 4, isKnown = true) {
    const settings = { slot: 3, moduleUrl: '/tasks.js', ioWindow, depth: 0, capturesOutput: false, reportsHeap: false }
    const { board, owner, clock } = this
    const row = new RowWriter(board.row)
    this.executor = new Executor({ board, row, port: new CountedPort(this.#channel.port1), owner, clock, settings })
    this.#names = Object.keys(functions)
    this.#kinds = this.#names.map((name) => (io.includes(name) ? 'io' : 'cpu'))
    const tasks = this.#names.map((name, at) => ({
      name,
      run: functions[name]!,
      kind: this.#kinds[at]!,
      runTimes: isKnown ? knownTimes() : new RunTimes(),
    }))
    this.executor.use({ names: this.#names, kinds: this.#kinds, tasks })
  }

  /** Posts tasks of one kind in one message; returns their keys. */
  post(name: string, ...payloads: unknown[]): number[] {
    const index = this.#names.indexOf(name)
    const batch: TaskBatch = [undefined, this.#kinds[index] === 'io' ? IO_BATCH : CPU_BATCH]
    const keys = payloads.map((payload) => {
      const key = post(this.board.state, this.#nextWord++)
      batch.push(key, taskHead(index, 1, true, false), payload)
      return key
    })
    this.executor.accept(batch)
    return keys
  }

  revoke(key: number): boolean {
    return revoke(this.board.state, key)
  }

  stateOf(key: number): number {
    return stateOf(this.board.state, key)
  }

  /** Lets the event loop come round, so that the pass that is due runs, with all microtasks that follow. */
  async turn(times = 1): Promise<void> {
    for (let turn = 0; turn < times; turn++) await new Promise((resolve) => setImmediate(resolve))
  }

  /** What has arrived since the last call; words of answers are freed, as the dispatcher does. */
  read(): ReadAnswer[] {
    const read: ReadAnswer[] = []
    const { port2 } = this.#channel
    for (let entry = receiveMessageOnPort(port2); entry !== undefined; entry = receiveMessageOnPort(port2)) {
      if (!Array.isArray(entry.message)) {
        if (entry.message.type === 'shapes') this.#results.learn(entry.message.shapes)
        else this.others.push(entry.message)
        continue
      }
      const batch = answersOf(entry.message, this.#results)
      for (const { key } of batch) free(this.board.state, key)
      this.batches.push(batch)
      read.push(...batch)
    }
    return read
  }

  values(): unknown[] {
    return this.read().map(({ value }) => value)
  }

  close(): void {
    this.#channel.port1.close()
  }
}

function knownTimes(): RunTimes {
  const times = new RunTimes()
  while (times.mayBeLong(0)) times.note(0, 0)
  return times
}

/** The answers of one message. */
export function answersOf(batch: AnswerBatch, results: ResultReader): ReadAnswer[] {
  if (batch[0] === ALONE) {
    const [, head, value] = batch as readonly [number, number, unknown]
    return [{ key: answerKey(head), status: answerStatus(head), value }]
  }
  const answers = (batch as readonly number[]).map((head) => {
    const key = answerKey(head)
    const status = answerStatus(head)
    if (status <= ON_BOARD) return { key, status, value: undefined }
    return { key, status: OK, value: results.take(indexOf(key), status - ON_BOARD) }
  })
  results.release()
  return answers
}
