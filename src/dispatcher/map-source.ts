/** Where the items of a map come from: any iterator, which may be slow, fail, or be left while it is asked for its next item. */

import { types } from 'node:util'
import type { Clock } from '../base/clock.js'
import { isThenable } from '../base/thenable.js'

export type ItemIterator = AsyncIterator<unknown> | Iterator<unknown>

export class MapSource {
  readonly #iterator: ItemIterator
  readonly #take: (item: unknown) => void
  readonly #changed: () => void
  #isAsked = false
  #isLeft = false
  /** It has said that it gives nothing more, or thrown: it needs no closing. */
  hasEnded = false
  failure: { readonly error: unknown } | undefined

  /**
   * @param take called with each item
   * @param changed called when it has given something later than in `draw`, has ended or failed
   */
  constructor(iterator: ItemIterator, take: (item: unknown) => void, changed: () => void) {
    this.#iterator = iterator
    this.#take = take
    this.#changed = changed
  }

  /** Whether it may be asked for an item. */
  get canGive(): boolean {
    return !this.#isAsked && !this.hasEnded && this.failure === undefined
  }

  /** Asks for the next item. A synchronous source gives it at once, without a turn of the microtask queue. */
  draw(): void {
    try {
      const given: unknown = this.#iterator.next()
      if (isThenable(given)) this.#await(given, (result) => this.#read(result), true)
      else this.#read(given)
    } catch (error) {
      this.#fail(error, true)
    }
  }

  /**
   * Closes the source unless it has ended by itself, and waits for that, but no longer than `graceMs`: one that waits for
   * its next item would let its end wait for that too. Throws what its end throws, unless the map ends by an error already.
   */
  async leave(hasFailed: boolean, graceMs: number, clock: Clock): Promise<void> {
    this.#isLeft = true
    if (this.hasEnded) return
    const failureBefore = this.failure
    try {
      const ended = Promise.resolve(this.#iterator.return?.())
      await within(graceMs, ended, clock)
      if (this.failure !== undefined && this.failure !== failureBefore) throw this.failure.error
    } catch (error) {
      if (!hasFailed) throw error
    }
  }

  #read(result: unknown): void {
    if (typeof result !== 'object' || result === null) {
      throw new TypeError(`a source gave ${String(result)} in place of an iterator result`)
    }
    const { done, value } = result as IteratorResult<unknown>
    if (done) this.hasEnded = true
    // As in a `for await` loop over a list of promises.
    else if (types.isPromise(value)) this.#await(value, (item) => this.#give(item), false)
    else this.#give(value)
  }

  #give(item: unknown): void {
    if (!this.#isLeft) this.#take(item)
  }

  #await(promise: PromiseLike<unknown>, then: (value: unknown) => void, endsIt: boolean): void {
    this.#isAsked = true
    const settled = Promise.resolve(promise).then((value) => {
      this.#isAsked = false
      then(value)
      this.#changed()
    })
    settled.catch((error: unknown) => {
      this.#isAsked = false
      this.#fail(error, endsIt)
    })
  }

  /** @param isOver false when only an item failed: the source is still open then */
  #fail(error: unknown, isOver: boolean): void {
    this.failure ??= { error }
    if (isOver) this.hasEnded = true
    this.#changed()
  }
}

async function within(limitMs: number, promise: Promise<unknown>, clock: Clock): Promise<void> {
  let stop = () => {}
  const late = new Promise<void>((resolve) => {
    if (limitMs < Number.POSITIVE_INFINITY) stop = clock.after(limitMs, resolve).stop
  })
  try {
    await Promise.race([promise, late])
  } finally {
    stop()
  }
}
