/**
 * Answers on their way to the dispatcher. One message for many answers is what makes small tasks cheap; an answer
 * that waits here while the next task blocks is what makes batching dangerous. So the executor sends
 * (a) before it starts a task that may be long, (b) at 64 answers or 0.25 ms after the oldest,
 * (c) at the end of a pass, after what tasks printed in it, (d) when the thread exits. A blocking task then holds back none, or at most 63
 * answers when a name with a short history turns long.
 */

import type { MessagePort, TransferListItem } from 'node:worker_threads'
import { type AnswerBatch, answerHead, answerKey, FAILED, OK, SKIPPED } from '../src/protocol/batch.js'
import { cloneRejection } from '../src/protocol/clone-rejection.js'
import { isTransferred, refuseDetached } from '../src/protocol/transfer.js'
import { encodeThrown } from './encode-thrown.js'

/** Answers in one message at most: bounds what a task that blocks unexpectedly can hold back. */
const FLUSH_AT = 64
/** Longest wait of an answer for company, ms. 0.05 costs up to 25 % at tasks of 0.05 ms, 0.25 under 5 %. */
const FLUSH_AFTER_MS = 0.25

/** A stream that the task module has ended takes nothing more, and is not waited for. */
function hasUnsent(stream: NodeJS.WriteStream): boolean {
  return stream.writableLength > 0 && stream.writable
}

export class Outbox {
  readonly #port: MessagePort
  #answers: AnswerBatch = []
  /** What is moved with an answer, by its place in the batch. */
  #transfers = new Map<number, readonly TransferListItem[]>()
  #oldestMs = 0
  /** While answers wait for what was printed before them. */
  #printing = false

  constructor(port: MessagePort) {
    this.#port = port
  }

  ok(key: number, value: unknown, nowMs: number): void {
    if (typeof value === 'object' && isTransferred(value)) {
      this.#transfers.set(this.#answers.length, value.list)
      this.#push(answerHead(key, OK), value.value, nowMs)
    } else this.#push(answerHead(key, OK), value, nowMs)
  }

  failed(key: number, thrown: unknown, nowMs: number): void {
    this.#push(answerHead(key, FAILED), encodeThrown(thrown), nowMs)
  }

  skipped(key: number, nowMs: number): void {
    this.#push(answerHead(key, SKIPPED), undefined, nowMs)
  }

  /**
   * At the end of a pass: what the tasks printed goes first, so that a host that ends on an answer has seen it all.
   * A thread hands on what it prints only as fast as the host takes it. The answers wait for that no longer than
   * until the next reason to send them.
   */
  flushAfterOutput(): void {
    if (this.#answers.length === 0 || this.#printing) return
    const { stdout, stderr } = process
    this.#printing = true
    const sent = () => {
      if (hasUnsent(stdout)) stdout.write('', sent)
      else if (hasUnsent(stderr)) stderr.write('', sent)
      else {
        this.#printing = false
        this.flush()
      }
    }
    sent()
  }

  flush(): void {
    if (this.#answers.length === 0) return
    const answers = this.#answers
    const transfers = this.#transfers
    this.#answers = []
    if (transfers.size > 0) this.#transfers = new Map()
    try {
      if (transfers.size === 0) this.#port.postMessage(answers)
      else this.#post(answers, [...transfers.values()].flat())
    } catch {
      this.#sendOneByOne(answers, transfers)
    }
  }

  #push(head: number, value: unknown, nowMs: number): void {
    const answers = this.#answers
    if (answers.length === 0) this.#oldestMs = nowMs
    answers.push(head, value)
    if (answers.length >= 2 * FLUSH_AT || nowMs - this.#oldestMs > FLUSH_AFTER_MS) this.flush()
  }

  #post(answers: AnswerBatch, transferred?: readonly TransferListItem[]): void {
    refuseDetached(transferred)
    this.#port.postMessage(answers, transferred)
  }

  /** One value that cannot be sent fails the whole message: its neighbours must not notice. */
  #sendOneByOne(answers: AnswerBatch, transfers: ReadonlyMap<number, readonly TransferListItem[]>): void {
    for (let at = 0; at < answers.length; at += 2) {
      const value = answers[at + 1]
      const transferred = transfers.get(at)
      try {
        this.#post([answers[at], value], transferred)
      } catch (thrown) {
        const rejection = cloneRejection({ root: 'result', value, thrown, transferred })
        this.#port.postMessage([answerHead(answerKey(answers[at] as number), FAILED), encodeThrown(rejection)])
      }
    }
  }
}
