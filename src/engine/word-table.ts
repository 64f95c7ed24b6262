/** The claim words of one lane: which are free, the task of each word in use, and the message that carried it. */

import { DONE, FREE, free, indexOf, keyOf, POSTED, post, REVOKED, wordOf } from '../board/claims.js'
import { type Board, CLAIMS_PER_LANE } from '../board/layout.js'

export class WordTable<T extends { readonly key: number }> {
  readonly #board: Board
  readonly #tasks = new Array<T | undefined>(CLAIMS_PER_LANE).fill(undefined)
  /** Stack of the claim indices that are free. */
  readonly #free = Int32Array.from({ length: CLAIMS_PER_LANE }, (_, index) => CLAIMS_PER_LANE - 1 - index)
  #freeCount = CLAIMS_PER_LANE
  /** Number of the message that carried the task under each word. */
  readonly #messages = new Int32Array(CLAIMS_PER_LANE)

  constructor(board: Board) {
    this.#board = board
  }

  get freeCount(): number {
    return this.#freeCount
  }

  /** Takes a free word for the task and returns its key. There must be a free one. */
  take(task: T): number {
    const index = this.#free[--this.#freeCount]
    this.#tasks[index] = task
    return post(this.#board.state, index)
  }

  taskOf(key: number): T | undefined {
    const task = key < 0 ? undefined : this.#tasks[indexOf(key)]
    return task?.key === key ? task : undefined
  }

  taskAt(index: number): T | undefined {
    return this.#tasks[index]
  }

  /** Forgets the task of the word, which stays in use. */
  forget(key: number): void {
    this.#tasks[indexOf(key)] = undefined
  }

  free(key: number): void {
    free(this.#board.state, key)
    this.#free[this.#freeCount++] = indexOf(key)
  }

  /** Notes the number of the message that names the word. */
  sent(key: number, message: number): void {
    this.#messages[indexOf(key)] = message
  }

  /**
   * Keys of the unstarted words that the message named. For a message that the worker cannot read, and so never
   * answers.
   */
  namedBy(message: number): number[] {
    return this.#keys((index, state) => (state === POSTED || state === REVOKED) && this.#messages[index] === message)
  }

  /** Keys of the words whose answers were in this message. */
  answeredBy(message: number): number[] {
    const { answer } = this.#board
    return this.#keys(
      (index, state) => (state === DONE || state === REVOKED) && Atomics.load(answer, index) === message,
    )
  }

  #keys(test: (index: number, state: number) => boolean): number[] {
    const keys: number[] = []
    for (let index = 0; index < CLAIMS_PER_LANE; index++) {
      const { generation, state } = wordOf(this.#board.state, index)
      if (state !== FREE && test(index, state)) keys.push(keyOf(index, generation))
    }
    return keys
  }
}
