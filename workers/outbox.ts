/**
 * Answers on their way to the dispatcher. One message for many answers makes small tasks cheap. But an answer must not
 * wait here while the next task blocks. So the executor sends
 * (a) before it starts a task that may be long, (b) at 64 answers or 0.25 ms after the oldest,
 * (c) at the end of a pass, after the pass's printed output, (d) when the thread exits. A blocking task then holds back
 * no answers, or at most 63 when all earlier tasks of its name were short.
 *
 * Results share a message only as small trees, written when the task ends (see `small-tree.ts`). Any other result is
 * sent at once, because an I/O task or a timer of the module might change it. While printed output is still on its way,
 * a clone of the result waits here.
 */

import type { TransferListItem } from 'node:worker_threads'
import { indexOf } from '../src/board/claims.js'
import type { Board } from '../src/board/layout.js'
import type { RowWriter } from '../src/board/row-writer.js'
import {
  ANSWERS_START,
  ANSWERS_STRIDE,
  type AnswerBatch,
  answerHead,
  answerKey,
  FAILED,
  OK,
  OK_TREE,
  SKIPPED,
  TREES_AT,
} from '../src/protocol/batch.js'
import { cloneRejection, refuseEmptied } from '../src/protocol/clone-rejection.js'
import type { CountedPort } from '../src/protocol/counted-port.js'
import { isLight, isObject, NO_TREE, TreeWriter } from '../src/protocol/small-tree.js'
import { isTransferred, refuseDetached } from '../src/protocol/transfer.js'
import { encodeThrown } from './encode-thrown.js'
import { PrintedOutput } from './printed-output.js'

/** The most answers in one message: a limit on what a task that blocks unexpectedly can hold back. */
const FLUSH_AT = 64
/** Longest wait of an answer for others, ms. At tasks of 0.05 ms, 0.05 costs up to 25 %, 0.25 under 5 %. */
const FLUSH_AFTER_MS = 0.25

/** Longest wait of answers for output that was printed before them, ms. A host whose reader is gone takes no output. */
const OUTPUT_WAIT_MS = 1_000

/** A message that is being filled. */
interface Letter {
  readonly answers: AnswerBatch
  /** Its one value is neither light nor a small tree. */
  readonly alone: boolean
  readonly transfer?: readonly TransferListItem[]
}

export class Outbox {
  readonly #port: CountedPort
  readonly #board: Pick<Board, 'answer'>
  readonly #row: Pick<RowWriter, 'sending'>
  #letters: Letter[] = []
  /** Trees of the last letter, which answers may still join. */
  readonly #trees = new TreeWriter()
  #size = 0
  #oldestMs = 0
  readonly #printed = new PrintedOutput()
  /** Runs while answers wait for output that was printed before them. */
  #printing = false

  constructor(port: CountedPort, board: Pick<Board, 'answer'>, row: Pick<RowWriter, 'sending'>) {
    this.#port = port
    this.#board = board
    this.#row = row
  }

  /** True when a value was sent or cloned, which takes time. */
  ok(key: number, value: unknown, nowMs: number): boolean {
    const moved = typeof value === 'object' && isTransferred(value) ? value : undefined
    if (moved === undefined) {
      if (!isObject(value)) {
        if (isLight(value)) return this.#push(answerHead(key, OK), value, nowMs)
      } else {
        const at = this.#trees.write(value)
        if (at !== NO_TREE) return this.#push(answerHead(key, OK_TREE), at, nowMs)
      }
    }
    const head = answerHead(key, OK)
    const sent = moved === undefined ? value : moved.value
    try {
      refuseEmptied(sent, 'result', moved?.list)
    } catch (error) {
      return this.failed(key, error, nowMs)
    }
    return this.#pushAlone(head, sent, nowMs, moved?.list)
  }

  /** The properties of an error may be objects that others share. Returns the same as `ok`. */
  failed(key: number, thrown: unknown, nowMs: number): boolean {
    return this.#pushAlone(answerHead(key, FAILED), encodeThrown(thrown), nowMs)
  }

  skipped(key: number, nowMs: number): void {
    this.#push(answerHead(key, SKIPPED), undefined, nowMs)
  }

  /**
   * Called at the end of a pass. Printed output goes first, so a host that ends on an answer has seen it all. The
   * answers wait until the next reason to send them, and for a second at most. After a wait in vain they do not wait
   * again until the host has taken the output.
   */
  flushAfterOutput(): void {
    if (this.#size === 0 || this.#printing) return
    if (this.#printed.isStuck) {
      this.flush()
      return
    }
    this.#printing = true
    this.#printed.whenTaken(OUTPUT_WAIT_MS, () => {
      this.#printing = false
      this.flush()
    })
  }

  flush(): void {
    if (this.#size === 0) return
    this.#seal()
    const letters = this.#letters
    this.#letters = []
    this.#size = 0
    for (const letter of letters) {
      if (letter.alone) this.#row.sending(true)
      this.#send(letter)
      if (letter.alone) this.#row.sending(false)
    }
  }

  #push(head: number, value: unknown, nowMs: number): false {
    const last = this.#letters.at(-1)
    if (last === undefined || last.alone) this.#letters.push({ answers: [undefined, head, value], alone: false })
    else last.answers.push(head, value)
    this.#count(nowMs)
    return false
  }

  #pushAlone(head: number, value: unknown, nowMs: number, transfer?: readonly TransferListItem[]): true {
    this.#seal()
    const waits = this.#printed.isAwaited
    const answers: AnswerBatch = [undefined, head, value]
    this.#letters.push(waits ? this.#cloned(head, value, transfer) : { answers, alone: true, transfer })
    this.#count(nowMs)
    if (!waits) this.flush()
    return true
  }

  /** Closes the last letter: no further answer joins it. */
  #seal(): void {
    const last = this.#letters.at(-1)
    if (last !== undefined && !last.alone) last.answers[TREES_AT] = this.#trees.take()
  }

  #cloned(head: number, value: unknown, transfer: readonly TransferListItem[] = []): Letter {
    this.#row.sending(true)
    try {
      refuseDetached(transfer)
      const own = structuredClone({ value, transfer }, { transfer: [...transfer] as never[] })
      return { answers: [undefined, head, own.value], alone: true, transfer: own.transfer }
    } catch (thrown) {
      return { answers: unsendable(head, value, thrown, transfer), alone: true }
    } finally {
      this.#row.sending(false)
    }
  }

  #count(nowMs: number): void {
    if (this.#size++ === 0) this.#oldestMs = nowMs
    if (this.#size >= FLUSH_AT || nowMs - this.#oldestMs > FLUSH_AFTER_MS) this.flush()
  }

  #send({ answers, alone, transfer }: Letter): void {
    const message = this.#port.next
    for (let at = ANSWERS_START; at < answers.length; at += ANSWERS_STRIDE) {
      this.#board.answer[indexOf(answerKey(answers[at] as number))] = message
    }
    try {
      refuseDetached(transfer)
      this.#port.post(answers, transfer)
    } catch (thrown) {
      // Primitives can always be sent.
      if (!alone) throw thrown
      this.#port.post(unsendable(answers[ANSWERS_START] as number, answers[ANSWERS_START + 1], thrown, transfer))
    }
  }
}

/** The answer in place of a value that cannot be cloned. */
function unsendable(
  head: number,
  value: unknown,
  thrown: unknown,
  transferred?: readonly TransferListItem[],
): AnswerBatch {
  const rejection = cloneRejection({ root: 'result', value, thrown, transferred })
  return [undefined, answerHead(answerKey(head), FAILED), encodeThrown(rejection)]
}
