/**
 * Which slots of the stretch memory are free, for all runs of a pool. A slot is used again only when no worker can write
 * into it any more: after its answer, or after the end of the thread that was in it.
 */

import type { StretchMemory } from '../../records/stretch-memory.js'
import { SharedUnits, type UnitShare } from './shared-units.js'

interface Dying {
  readonly share: UnitShare
  readonly slot: number
  readonly worker: number
}

export class StretchSlots {
  readonly memory: StretchMemory
  readonly #units: SharedUnits
  #dying: Dying[] = []

  constructor(memory: StretchMemory) {
    this.memory = memory
    this.#units = new SharedUnits(memory.slots, 1)
  }

  get free(): number {
    return this.#units.free
  }

  join(): StretchShare {
    return new StretchShare(this.memory, this.#units.join(), (dying) => this.#dying.push(dying))
  }

  /** The thread of a worker ended: it writes nothing more. */
  threadEnded(worker: number): void {
    const ended = this.#dying.filter((dying) => dying.worker === worker)
    this.#dying = this.#dying.filter((dying) => dying.worker !== worker)
    for (const { share, slot } of ended) share.give(slot)
  }
}

/** The slots of one run. */
export class StretchShare {
  readonly memory: StretchMemory
  readonly #share: UnitShare
  readonly #waitForEnd: (dying: Dying) => void

  constructor(memory: StretchMemory, share: UnitShare, waitForEnd: (dying: Dying) => void) {
    this.memory = memory
    this.#share = share
    this.#waitForEnd = waitForEnd
  }

  /** A free slot, or `undefined` when this run may have no further one now. */
  take(): number | undefined {
    return this.#share.take()
  }

  give(slot: number): void {
    this.#share.give(slot)
  }

  /**
   * Gives back the slot of a stretch that was given up, at once unless a worker is in it: then when its thread ends,
   * which the dispatcher has asked for.
   */
  giveUp(slot: number): void {
    const worker = this.memory.close(slot)
    if (worker === undefined) this.#share.give(slot)
    else this.#waitForEnd({ share: this.#share, slot, worker })
  }

  /** The run is over; slots that it gave up may still wait for a thread to end. */
  leave(): void {
    this.#share.leave()
  }
}
