/** Items and progress values of running tasks: how many the worker has sent, and how many of them were received. */

import { indexOf } from '../board/claims.js'
import { type Board, CLAIMS_PER_LANE } from '../board/layout.js'

/** Count of a task of which a value could not be read. */
const INCOMPLETE = -1

export class HeardValues {
  readonly #said: Int32Array
  readonly #saidIn: Int32Array
  readonly #heard = new Int32Array(CLAIMS_PER_LANE)

  constructor({ said, saidIn }: Pick<Board, 'said' | 'saidIn'>) {
    this.#said = said
    this.#saidIn = saidIn
  }

  /** A task was posted under this word. */
  begin(index: number): void {
    this.#heard[index] = 0
  }

  /** A value came, with this many before it. False when one of those is missing: then nothing more is passed on. */
  count(index: number, position: number): boolean {
    if (position !== this.#heard[index]) return false
    this.#heard[index]++
    return true
  }

  /** A value was lost. False when that was known. */
  lose(index: number): boolean {
    if (this.#heard[index] === INCOMPLETE) return false
    this.#heard[index] = INCOMPLETE
    return true
  }

  /** Whether all that the finished task has sent was received, or it has sent nothing. */
  isComplete(index: number): boolean {
    return this.#said[index] === this.#heard[index]
  }

  /** Whether the last value that the task has sent was in the message of this number. */
  wasSentIn(key: number, message: number): boolean {
    return Atomics.load(this.#saidIn, indexOf(key)) === message
  }
}
