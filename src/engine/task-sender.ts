/** Tasks on their way to a worker: gathered into a batch per kind, or sent in a message of their own. */

import type { TransferListItem } from 'node:worker_threads'
import type { Clock } from '../base/clock.js'
import { BATCH_START, BATCH_STRIDE, CPU_BATCH, IO_BATCH, type TaskBatch } from '../protocol/batch.js'
import { refuseEmptied } from '../protocol/clone-rejection.js'
import type { CountedPort } from '../protocol/counted-port.js'
import { refuseDetached } from '../protocol/transfer.js'

export interface SendingEvents {
  /** The tasks of the batch left in the message of this number; posting it took so long. */
  sent(batch: TaskBatch, message: number, postingUs: number): void
  /** The task of this key cannot be sent, and was not. */
  refused(key: number, error: unknown): void
}

export class TaskSender {
  readonly #port: CountedPort
  readonly #clock: Clock
  readonly #events: SendingEvents
  #cpuBatch: TaskBatch = [CPU_BATCH]
  #ioBatch: TaskBatch = [IO_BATCH]

  constructor(port: CountedPort, clock: Clock, events: SendingEvents) {
    this.#port = port
    this.#clock = clock
    this.#events = events
  }

  /** For the next `flush`. */
  add(isIo: boolean, key: number, head: number, payload: unknown): void {
    if (isIo) this.#ioBatch.push(key, head, payload)
    else this.#cpuBatch.push(key, head, payload)
  }

  /** At once, behind all that was added before. */
  sendAlone(isIo: boolean, key: number, head: number, payload: unknown, transfer?: readonly TransferListItem[]): void {
    this.flush()
    this.#send([isIo ? IO_BATCH : CPU_BATCH, key, head, payload], transfer)
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

  #send(batch: TaskBatch, transfer?: readonly TransferListItem[]): void {
    const startMs = this.#clock.nowMs()
    const message = this.#port.next
    try {
      // What shares a message is a copy of what the clone takes.
      if (batch.length === BATCH_START + BATCH_STRIDE) refuseEmptied(batch[BATCH_START + 2], 'payload', transfer)
      refuseDetached(transfer)
      this.#port.post(batch, transfer)
    } catch (error) {
      this.#sendOneByOne(batch, error)
      return
    }
    this.#events.sent(batch, message, Math.round((this.#clock.nowMs() - startMs) * 1000))
  }

  /** One payload that cannot be cloned fails the whole message: its neighbours must not notice. */
  #sendOneByOne(batch: TaskBatch, error: unknown): void {
    if (batch.length === BATCH_START + BATCH_STRIDE) {
      this.#events.refused(batch[BATCH_START] as number, error)
      return
    }
    for (let at = BATCH_START; at < batch.length; at += BATCH_STRIDE) {
      this.#send([batch[0], batch[at], batch[at + 1], batch[at + 2]])
    }
  }
}
