/** What one run has of a record pool. */

import type { RecordRunner } from './flow/record-runner.js'
import type { ArenaBlocks } from './records/arena-blocks.js'
import { RecordArena } from './records/record-arena.js'
import type { StretchShare, StretchSlots } from './records/stretch-slots.js'

export class PoolShare {
  readonly arena: RecordArena
  readonly stretches: StretchShare
  readonly runner: RecordRunner
  readonly #left: () => void
  #isStopped = false
  #onStop: (() => void) | undefined

  constructor(blocks: ArenaBlocks, slots: StretchSlots, runner: RecordRunner, left: () => void) {
    this.arena = new RecordArena(blocks)
    this.stretches = slots.join()
    this.runner = runner
    this.#left = left
  }

  /** The pool is being closed by force: the run must end. */
  stop(): void {
    this.#isStopped = true
    this.#onStop?.()
  }

  /** Calls back once the pool wants the run to end, perhaps at once. */
  whenStopped(stop: () => void): void {
    this.#onStop = stop
    if (this.#isStopped) stop()
  }

  /** The run is over: gives everything back. */
  leave(): void {
    this.arena.close()
    this.stretches.leave()
    this.#left()
  }
}
