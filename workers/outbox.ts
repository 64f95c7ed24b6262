/**
 * Answers on their way to the dispatcher. One message for many answers makes small tasks cheap. But an answer must not
 * wait here while the next task blocks. So the executor sends
 * (a) before it starts a task that may be long, (b) at 64 answers or 0.25 ms after the oldest,
 * (c) at the end of a pass, after the pass's printed output, (d) when the thread exits. When a task blocks unexpectedly,
 * the row says that answers are kept, and the dispatcher reads their results from the board.
 *
 * A result that is not on the board (see `results.ts`) is sent at once, because an I/O task or a timer of the module
 * might change it. While printed output is still on its way, a clone of the result waits here.
 */

import type { TransferListItem } from 'node:worker_threads'
import { indexOf } from '../src/board/claims.js'
import type { Board } from '../src/board/layout.js'
import type { RowWriter } from '../src/board/row-writer.js'
import { ALONE, type AnswerBatch, answerHead, answerKey, FAILED, OK, ON_BOARD, SKIPPED } from '../src/protocol/batch.js'
import { cloneRejection, refuseEmptied } from '../src/protocol/clone-rejection.js'
import type { CountedPort } from '../src/protocol/counted-port.js'
import { isTransferred, refuseDetached } from '../src/protocol/transfer.js'
import { encodeThrown } from './encode-thrown.js'
import { PrintedOutput } from './printed-output.js'

/** The most answers in one message. */
const FLUSH_AT = 64
/** Longest wait of an answer for others, ms. At tasks of 0.05 ms, 0.05 costs up to 25 %, 0.25 under 5 %. */
const FLUSH_AFTER_MS = 0.25

/** Longest wait of answers for output that was printed before them, ms. A host whose reader is gone takes no output. */
const OUTPUT_WAIT_MS = 1_000

/** An answer whose value is not on the board. */
interface AloneAnswer {
  readonly head: number
  readonly value: unknown
  readonly transfer?: readonly TransferListItem[]
}

export class Outbox {
  readonly #port: CountedPort
  readonly #board: Pick<Board, 'answer'>
  readonly #row: Pick<RowWriter, 'sending' | 'keeping'>
  /** Messages to be sent: heads of answers whose results are on the board, or one answer alone. */
  #letters: (number[] | AloneAnswer)[] = []
  /** The last letter, as long as heads may join it. */
  #heads: number[] | undefined
  #size = 0
  #oldestMs = 0
  readonly #printed = new PrintedOutput()
  /** Runs while answers wait for output that was printed before them. */
  #printing = false

  constructor(port: CountedPort, board: Pick<Board, 'answer'>, row: Pick<RowWriter, 'sending' | 'keeping'>) {
    this.#port = port
    this.#board = board
    this.#row = row
  }

  /** The result is on the board, at this place. */
  written(key: number, where: number, nowMs: number): void {
    this.#push(answerHead(key, ON_BOARD + where), nowMs)
  }

  skipped(key: number, nowMs: number): void {
    this.#push(answerHead(key, SKIPPED), nowMs)
  }

  /** Sends or clones a result that is not on the board, which takes time. */
  ok(key: number, value: unknown, nowMs: number): void {
    const moved = typeof value === 'object' && value !== null && isTransferred(value) ? value : undefined
    const sent = moved === undefined ? value : moved.value
    try {
      refuseEmptied(sent, 'result', moved?.list)
    } catch (error) {
      this.failed(key, error, nowMs)
      return
    }
    this.#pushAlone(answerHead(key, OK), sent, nowMs, moved?.list)
  }

  /** As `ok`. The properties of an error may be objects that others share. */
  failed(key: number, thrown: unknown, nowMs: number): void {
    this.#pushAlone(answerHead(key, FAILED), encodeThrown(thrown), nowMs)
  }

  /**
   * Called at the end of a pass. Printed output goes first, so a host that ends on an answer has seen it all. The
   * answers wait until the next reason to send them, and for a second at most. After a wait in vain they do not wait
   * again until the host has taken the output.
   */
  flushAfterOutput(): void {
    if (this.#size === 0) return
    // The event loop turns. What waits from here on waits for output, and must not be taken from the board before it.
    this.#row.keeping(false)
    if (this.#printing) return
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

  /** Tasks run from now on: whatever waits, one of them may block. */
  tasksRun(): void {
    if (this.#size > 0) this.#row.keeping(true)
  }

  flush(): void {
    if (this.#size === 0) return
    const letters = this.#letters
    this.#letters = []
    this.#heads = undefined
    this.#size = 0
    for (const letter of letters) {
      if (Array.isArray(letter)) this.#sendHeads(letter)
      else this.#sendAlone(letter)
    }
    // Something may have come while a large value was sent.
    this.#row.keeping(this.#size > 0)
  }

  #push(head: number, nowMs: number): void {
    if (this.#heads === undefined) {
      this.#heads = [head]
      this.#letters.push(this.#heads)
    } else this.#heads.push(head)
    this.#count(nowMs)
  }

  #pushAlone(head: number, value: unknown, nowMs: number, transfer?: readonly TransferListItem[]): void {
    this.#heads = undefined
    const waits = this.#printed.isAwaited
    this.#letters.push(waits ? this.#cloned(head, value, transfer) : { head, value, transfer })
    this.#count(nowMs)
    if (!waits) this.flush()
  }

  #cloned(head: number, value: unknown, transfer: readonly TransferListItem[] = []): AloneAnswer {
    this.#row.sending(true)
    try {
      refuseDetached(transfer)
      const own = structuredClone({ value, transfer }, { transfer: [...transfer] as never[] })
      return { head, value: own.value, transfer: own.transfer }
    } catch (thrown) {
      return unsendable(head, value, thrown, transfer)
    } finally {
      this.#row.sending(false)
    }
  }

  #count(nowMs: number): void {
    if (this.#size++ === 0) {
      this.#oldestMs = nowMs
      this.#row.keeping(true)
    }
    if (this.#size >= FLUSH_AT || nowMs - this.#oldestMs > FLUSH_AFTER_MS) this.flush()
  }

  #sendHeads(heads: readonly number[]): void {
    const message = this.#port.next
    for (const head of heads) this.#board.answer[indexOf(answerKey(head))] = message
    this.#port.post(heads)
  }

  #sendAlone(answer: AloneAnswer): void {
    const { head, value, transfer } = answer
    this.#row.sending(true)
    this.#board.answer[indexOf(answerKey(head))] = this.#port.next
    try {
      refuseDetached(transfer)
      this.#port.post(messageOf(answer), transfer)
    } catch (thrown) {
      this.#port.post(messageOf(unsendable(head, value, thrown, transfer)))
    }
    this.#row.sending(false)
  }
}

function messageOf({ head, value }: AloneAnswer): AnswerBatch {
  return [ALONE, head, value]
}

/** The answer in place of a value that cannot be cloned. */
function unsendable(
  head: number,
  value: unknown,
  thrown: unknown,
  transferred?: readonly TransferListItem[],
): AloneAnswer {
  const rejection = cloneRejection({ root: 'result', value, thrown, transferred })
  return { head: answerHead(answerKey(head), FAILED), value: encodeThrown(rejection) }
}
