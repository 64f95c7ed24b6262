/**
 * Items and progress values of running tasks, each in a message of its own. The board counts them, so the dispatcher
 * notices one that it could not read.
 */

import type { TransferListItem } from 'node:worker_threads'
import { indexOf } from '../src/board/claims.js'
import type { Board } from '../src/board/layout.js'
import type { RowWriter } from '../src/board/row-writer.js'
import { cloneRejection, refuseEmptied } from '../src/protocol/clone-rejection.js'
import type { WorkerControl } from '../src/protocol/control.js'
import type { CountedPort } from '../src/protocol/counted-port.js'
import { isTransferred, refuseDetached } from '../src/protocol/transfer.js'

export class SideMessages {
  readonly #port: CountedPort
  readonly #board: Pick<Board, 'said' | 'saidIn'>
  readonly #row: Pick<RowWriter, 'sending'>

  constructor(port: CountedPort, board: Pick<Board, 'said' | 'saidIn'>, row: Pick<RowWriter, 'sending'>) {
    this.#port = port
    this.#board = board
    this.#row = row
  }

  /** A task starts under this key. Its count is 0. */
  begin(key: number): void {
    const { said, saidIn } = this.#board
    const index = indexOf(key)
    said[index] = 0
    saidIn[index] = 0
  }

  /**
   * Sends one value; one of `transfer` is moved. When the value cannot be sent, throws `EVENKEEL_CLONE` and sends
   * nothing.
   */
  send(type: 'item' | 'progress', key: number, said: unknown): void {
    if (isTransferred(said)) this.#send(type, key, said.value, said.list)
    else this.#send(type, key, said)
  }

  #send(type: 'item' | 'progress', key: number, value: unknown, transfer?: readonly TransferListItem[]): void {
    refuseEmptied(value, type, transfer)
    const { said, saidIn } = this.#board
    const index = indexOf(key)
    this.#row.sending(true)
    try {
      refuseDetached(transfer)
      // Before the message, so that a dispatcher that cannot read it knows whose it was.
      Atomics.store(saidIn, index, this.#port.next)
      this.#port.post({ type, key, position: said[index]!, value } satisfies WorkerControl, transfer)
    } catch (thrown) {
      // Nothing was sent, so another message will have this number.
      Atomics.store(saidIn, index, 0)
      throw cloneRejection({ root: type, value, thrown, transferred: transfer })
    } finally {
      this.#row.sending(false)
    }
    // Before the answer, which the dispatcher checks against this count.
    said[index]!++
  }
}
