/**
 * The user's own code that a dispatcher calls: it throws, aborts, submits, closes, resizes and pauses wherever it is
 * called. Counts what it throws, and what comes out where docs/errors.md says.
 */

import type { RandomSource } from '../../src/base/random.js'
import { createStrategy, type LoadView, type SelectionStrategy, type SelectionTask } from '../../src/selection/index.js'
import type { PoolOptions } from './pool-options.js'

/** What it may do to the dispatcher that calls it. */
export interface Deeds {
  abort(): void
  cancel(): void
  submit(): void
  disturb(): void
  close(): void
}

export class HostileError extends Error {
  readonly place: string

  constructor(place: string) {
    super(`hostile ${place}`)
    this.place = place
  }
}

/** Names of events with a listener that does anything. */
const EVENTS = ['stall', 'recover', 'exit', 'restart', 'overload', 'underload', 'drain'] as const

export interface Emitter {
  on(name: string, listener: (...args: unknown[]) => unknown): unknown
}

export class HostileCode {
  readonly #random: RandomSource
  readonly #deeds: Deeds
  readonly #mayClose: boolean
  readonly #due: unknown[] = []
  readonly #heard: unknown[] = []
  readonly #strategyThrew = new Set<unknown>()
  #isActing = false
  /** Thrown by the listener of `error`: each must be an uncaught exception. */
  readonly escapes = new Set<unknown>()

  constructor(random: RandomSource, deeds: Deeds, mayClose: boolean) {
    this.#random = random
    this.#deeds = deeds
    this.#mayClose = mayClose
  }

  chance(share: number): boolean {
    return this.#random() < share
  }

  /** Does one thing, and throws now and then: `thrown` hears of it first. */
  act(place: string, thrown: (error: HostileError) => void): void {
    // What it does may call it again: a submission picks a worker.
    if (this.#isActing) return
    this.#isActing = true
    try {
      this.#do()
    } finally {
      this.#isActing = false
    }
    if (!this.chance(0.3)) return
    const error = new HostileError(place)
    thrown(error)
    throw error
  }

  #do(): void {
    const dice = this.#random()
    if (dice < 0.2) this.#deeds.abort()
    else if (dice < 0.3) this.#deeds.cancel()
    else if (dice < 0.6) this.#deeds.submit()
    else if (dice < 0.9) this.#deeds.disturb()
    else if (dice > 0.98 && this.#mayClose) this.#deeds.close()
  }

  /** Listens to all events, and throws or rejects in the listeners. */
  listen(emitter: Emitter): void {
    for (const name of EVENTS) {
      emitter.on(name, () => {
        if (this.chance(0.5)) this.act(name, (error) => this.#due.push(error))
      })
    }
    emitter.on('exit', async () => {
      await null
      if (this.chance(0.3)) this.act('exit, later', (error) => this.#due.push(error))
    })
    emitter.on('error', (error) => {
      this.#heard.push(error)
      if (this.chance(0.2)) this.act('error', (own) => this.escapes.add(own))
    })
  }

  /** A strategy of the user's own around one of the catalogue. */
  strategy({ strategy, workers }: PoolOptions, random: RandomSource): SelectionStrategy {
    const size = typeof workers === 'number' ? workers : workers!.max
    const inner = createStrategy(strategy, { random, size })
    const noteThrow = (error: HostileError) => this.#strategyThrew.add(error)
    return {
      name: `hostile ${strategy}`,
      pick: (view: LoadView, task: SelectionTask) => {
        if (this.chance(0.01)) this.act('pick', noteThrow)
        if (this.chance(0.002))
          return [Number.NaN, 1.5, -2, 99, undefined, '0', -1][Math.floor(7 * this.#random())] as number
        return inner.pick(view, task)
      },
      membershipChanged: (view: LoadView) => {
        inner.membershipChanged?.(view)
        if (this.chance(0.3)) this.act('membershipChanged', noteThrow)
      },
    }
  }

  /** What a listener threw is heard by the listeners of `error`, once each; of a strategy's throws, the first. */
  faults(): string[] {
    const faults: string[] = []
    for (const error of this.#due as HostileError[]) {
      const count = this.#heard.filter((heard) => heard === error).length
      if (count !== 1) faults.push(`what the listener of ${error.place} threw was heard ${count} times`)
    }
    const ofStrategy = this.#heard.filter((heard) => this.#strategyThrew.has(heard)).length
    if (ofStrategy !== Math.min(1, this.#strategyThrew.size)) {
      faults.push(`a strategy threw ${this.#strategyThrew.size} times, ${ofStrategy} of it were heard`)
    }
    for (const heard of this.#heard) {
      if (!(heard instanceof HostileError)) continue
      if (!this.#due.includes(heard) && !this.#strategyThrew.has(heard)) faults.push(`heard of ${heard.message}`)
    }
    return faults
  }
}
