/** Sends tasks to a worker: gathered in one batch per kind, or each in its own message. */

import type { TransferListItem } from 'node:worker_threads'
import type { Clock } from '../base/clock.js'
import {
  BATCH_START,
  BATCH_STRIDE,
  CPU_BATCH,
  IO_BATCH,
  KIND_AT,
  type TaskBatch,
  TREES_AT,
  withTree,
} from '../protocol/batch.js'
import { refuseEmptied } from '../protocol/clone-rejection.js'
import type { CountedPort } from '../protocol/counted-port.js'
import { isLight, isObject, NO_TREE, TreeWriter } from '../protocol/small-tree.js'
import { refuseDetached } from '../protocol/transfer.js'

export interface SendingEvents {
  /** The batch was posted in the message of this number. */
  sent(batch: TaskBatch, message: number, postingUs: number): void
  /** The task of this key cannot be sent, and was not sent. */
  refused(key: number, error: unknown): void
}

export class TaskSender {
  readonly #port: CountedPort
  readonly #clock: Clock
  readonly #events: SendingEvents
  readonly #cpu = new OpenBatch(CPU_BATCH)
  readonly #io = new OpenBatch(IO_BATCH)

  constructor(port: CountedPort, clock: Clock, events: SendingEvents) {
    this.#port = port
    this.#clock = clock
    this.#events = events
  }

  /** Adds the task to the next `flush`. False, and not added, when its payload needs its own message. */
  add(isIo: boolean, key: number, head: number, payload: unknown): boolean {
    return (isIo ? this.#io : this.#cpu).add(key, head, payload)
  }

  /** Sends the task now, after all that were added before. */
  sendAlone(isIo: boolean, key: number, head: number, payload: unknown, transfer?: readonly TransferListItem[]): void {
    this.flush()
    this.#send([undefined, isIo ? IO_BATCH : CPU_BATCH, key, head, payload], transfer)
  }

  flush(): void {
    if (!this.#cpu.isEmpty) this.#send(this.#cpu.take())
    if (!this.#io.isEmpty) this.#send(this.#io.take())
  }

  #send(batch: TaskBatch, transfer?: readonly TransferListItem[]): void {
    const startMs = this.#clock.nowMs()
    const message = this.#port.next
    try {
      // Only a task alone in its message can have objects: shared messages hold primitives.
      if (batch.length === BATCH_START + BATCH_STRIDE) refuseEmptied(batch[BATCH_START + 2], 'payload', transfer)
      refuseDetached(transfer)
      this.#port.post(batch, transfer)
    } catch (error) {
      this.#sendOneByOne(batch, error)
      return
    }
    this.#events.sent(batch, message, Math.round((this.#clock.nowMs() - startMs) * 1000))
  }

  /** One payload that cannot be cloned fails the whole message, so each task is sent alone to spare the others. */
  #sendOneByOne(batch: TaskBatch, error: unknown): void {
    if (batch.length === BATCH_START + BATCH_STRIDE) {
      this.#events.refused(batch[BATCH_START] as number, error)
      return
    }
    for (let at = BATCH_START; at < batch.length; at += BATCH_STRIDE) {
      this.#send([batch[TREES_AT], batch[KIND_AT], batch[at], batch[at + 1], batch[at + 2]])
    }
  }
}

/** The tasks of one kind that were added since the last message. */
class OpenBatch {
  readonly #kind: number
  readonly #trees = new TreeWriter()
  #batch: TaskBatch

  constructor(kind: number) {
    this.#kind = kind
    this.#batch = [undefined, kind]
  }

  get isEmpty(): boolean {
    return this.#batch.length === BATCH_START
  }

  add(key: number, head: number, payload: unknown): boolean {
    if (!isObject(payload)) {
      if (!isLight(payload)) return false
      this.#batch.push(key, head, payload)
      return true
    }
    const at = this.#trees.write(payload)
    if (at === NO_TREE) return false
    this.#batch.push(key, withTree(head), at)
    return true
  }

  take(): TaskBatch {
    const batch = this.#batch
    batch[TREES_AT] = this.#trees.take()
    this.#batch = [undefined, this.#kind]
    return batch
  }
}
