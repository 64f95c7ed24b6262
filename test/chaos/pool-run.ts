/** One dispatcher of a chaos run: what is submitted to it, what else happens to it, and what came of it all. */

import { getEventListeners } from 'node:events'
import type { RandomSource } from '../../src/base/random.js'
import { Dispatcher, type RunOptions } from '../../src/index.js'
import { answerFault, scribble } from './answers.js'
import { HostileCode } from './hostile-code.js'
import { CAPPED, type PoolOptions, pick } from './pool-options.js'
import { planOf, type TaskPlan } from './task-plan.js'
import { type Circumstances, faultOf, type Outcome } from './verdict.js'

const module = new URL('./chaos-tasks.mjs', import.meta.url)
export const ATTEMPTS = 4
/** Longer than any limit, back-off and stall of a run together: what is unsettled then never settles. */
export const SETTLE_MS = 30_000
/** A thread that is held up between the start of a task and its note of it makes two starts look closer than they were. */
const HELD_UP = 4

/** What the threads write: how often, and when, each attempt of each task was started. */
export interface StartNotes {
  readonly counts: SharedArrayBuffer
  readonly times: SharedArrayBuffer
}

/** Numbers of tasks: one each. */
export interface Ids {
  next(): number | undefined
}

export interface Flight {
  readonly plan: TaskPlan
  readonly signal: AbortSignal | undefined
  outcome: Outcome | undefined
  settledTwice: boolean
  /** Whether the call came when the dispatcher closed already. */
  readonly isLate: boolean
  /** How often it had been started when its signal fired before it had settled. */
  startsAtAbort: number | undefined
}

export class PoolRun {
  readonly dispatcher: Dispatcher
  readonly options: PoolOptions
  readonly hostile: HostileCode
  readonly flights: Flight[] = []
  /** Maps and streams: what is wrong with each, once it has ended. */
  readonly loops: Promise<string[]>[] = []
  readonly ownThrows = new Set<unknown>()
  /** Thrown by a callback of a task that may have been settled then. */
  readonly lateThrows = new Set<unknown>()
  unsettled = 0
  loopsOpen = 0
  closing = false
  /** Whether a close ends what is not done soon. */
  #givesUp = false
  readonly #random: RandomSource
  readonly #isHostile: boolean
  readonly #longShare: number
  readonly #spareIds: Ids
  readonly #starts: Int32Array
  readonly #startTimes: Float64Array
  readonly #cancelReasons = new Set<unknown>()
  readonly #controllers = [new AbortController()]
  /** One options object for all calls; changed after each. */
  readonly #reused: Record<string, unknown> = {}

  constructor(options: PoolOptions, notes: StartNotes, spareIds: Ids, random: RandomSource, longShare: number) {
    this.#longShare = longShare
    this.options = options
    this.#random = random
    this.#spareIds = spareIds
    this.#isHostile = random() < 0.6
    this.#starts = new Int32Array(notes.counts)
    this.#startTimes = new Float64Array(notes.times)
    this.hostile = new HostileCode(
      random,
      {
        abort: () => this.abort(),
        cancel: () => this.#cancel(),
        submit: () => this.#submitSpare(),
        disturb: () => this.disturb(random() * 0.06),
        close: () => void this.close(pick(random, [{ force: true }, { timeoutMs: 20 }])),
      },
      random() < 0.2,
    )
    this.dispatcher = new Dispatcher({
      ...options,
      strategy: this.#isHostile ? this.hostile.strategy(options, options.random!) : options.strategy,
      module,
      workerData: { starts: notes.counts, startTimes: notes.times },
    })
    if (this.#isHostile) this.hostile.listen(this.dispatcher as never)
    else this.dispatcher.on('error', () => {})
  }

  get signal(): AbortSignal {
    return this.#controllers.at(-1)!.signal
  }

  circumstances(signal: AbortSignal | undefined, mayBeClosed: boolean, startsAtAbort?: number): Circumstances {
    return {
      signal,
      startsAtAbort,
      mayBeClosed,
      bounded: this.options.maxQueue !== Number.POSITIVE_INFINITY,
      stallsAreKilled: (this.options.stallKillMs ?? 0) < 500,
      cancelReasons: this.#cancelReasons,
      ownThrows: this.ownThrows,
    }
  }

  submit(plan: TaskPlan): void {
    const flight: Flight = {
      plan,
      signal: plan.signalled ? this.signal : undefined,
      outcome: undefined,
      settledTwice: false,
      isLate: this.closing,
      startsAtAbort: undefined,
    }
    const { buffer } = plan.payload
    if (buffer !== undefined) new Uint32Array(buffer)[0] = plan.id
    this.flights.push(flight)
    this.unsettled++
    const settle = (outcome: Outcome) => {
      if (flight.outcome !== undefined) flight.settledTwice = true
      flight.outcome = outcome
      this.unsettled--
    }
    this.#call(flight).then(
      (value) => {
        settle({ ok: true, fault: answerFault(plan, value) })
        scribble(value)
      },
      (error: unknown) => settle({ ok: false, error }),
    )
  }

  /** Calls with the one options object, and changes it and all it holds right after the call. */
  #call(flight: Flight): Promise<unknown> {
    const { plan, signal } = flight
    const { retries, ...others } = plan.options
    const { buffer } = plan.payload
    const reused = this.#reused
    for (const key of Object.keys(reused)) delete reused[key]
    const transfer = buffer === undefined ? undefined : [buffer]
    const wanted: RunOptions = {
      ...others,
      ...(retries !== undefined && { retries: { ...retries } }),
      ...(signal !== undefined && { signal }),
      ...(transfer !== undefined && { transfer }),
      ...(plan.name === 'tells' && { onProgress: (value) => this.#noteProgress(flight, value) }),
    }
    // Getters of the options and of the payload may call this method again, so theirs are objects of their own.
    const options = plan.isTrap ? wanted : Object.assign(reused, wanted)
    if (plan.isTrap && plan.id % 2 === 0) this.#setTrap(options, 'priority', 'getter of options')
    const payload = { ...plan.payload }
    if (plan.isTrap) this.#setTrap(payload, 'ms', 'getter of a payload')
    const result = this.dispatcher.run(plan.name, payload, options)
    if (options.retries !== undefined) Object.assign(options.retries, { times: 1_000, on: 'any' })
    transfer?.push(new ArrayBuffer(8))
    const other = {
      priority: 50,
      gate: 'no such gate',
      signal: this.signal,
      runTimeoutMs: 0,
      tag: 'another',
      delayMs: 1e6,
    }
    if (!plan.isTrap) Object.assign(options, { ...other, onProgress: undefined, transfer: [], queueTimeoutMs: 0 })
    return result
  }

  #setTrap(target: object, key: string, place: string): void {
    const get = () => {
      if (this.hostile.chance(0.5)) this.hostile.act(place, (error) => this.ownThrows.add(error))
      return 0
    }
    Object.defineProperty(target, key, { enumerable: true, configurable: true, get })
  }

  /** Progress that is another task's, or comes after the end, counts as a second end. */
  #noteProgress(flight: Flight, value: unknown): void {
    const isOwn = (value as { id: number }).id === flight.plan.id
    if (!isOwn || flight.outcome !== undefined) flight.settledTwice = true
    if (!this.#isHostile || !this.hostile.chance(0.2)) return
    this.hostile.act('progress', (error) => {
      this.ownThrows.add(error)
      this.lateThrows.add(error)
    })
  }

  #submitSpare(name = 'quick', work = {}): void {
    const id = this.#spareIds.next()
    if (id !== undefined) this.submit(planOf(name, { id, ...work }))
  }

  submitLong(): void {
    if (this.hostile.chance(this.#longShare)) this.#submitSpare('computes', { ms: 200 })
  }

  disturb(dice: number): void {
    const { dispatcher } = this
    const random = this.#random
    if (dice < 0.012) dispatcher.resize(pick(random, [1, 2, 3, 4, { min: 1, max: 4 }, { min: 0, max: 2 }]))
    else if (dice < 0.018) dispatcher.recycle()
    else if (dice < 0.035) {
      dispatcher.pause()
      setTimeout(() => dispatcher.resume(), random() * 15)
    } else if (dice < 0.06) dispatcher.setPriority(`tag ${Math.floor(random() * 4)}`, Math.floor(random() * 5))
    else if (dice < 0.08) this.#cancel()
    else if (dice < 0.1) dispatcher.snapshot()
    else if (dice < 0.11) spin(random() * 60)
    else if (dice < 0.2) this.abort()
  }

  abort(): void {
    const { signal } = this
    // What the abort calls may abort as well, with the same signal; only this call sees all of it done.
    this.#controllers.at(-1)!.abort(new Error('chaos'))
    for (const flight of this.flights) {
      if (flight.signal !== signal || flight.outcome !== undefined) continue
      flight.startsAtAbort = this.startsOf(flight.plan).reduce((sum, count) => sum + count)
    }
    this.#controllers.push(new AbortController())
  }

  #cancel(): void {
    const reason = new Error('chaos by tag')
    this.#cancelReasons.add(reason)
    this.dispatcher.cancel(`tag ${Math.floor(this.#random() * 4)}`, reason)
  }

  /** Without a limit, everything that was accepted has to be done. */
  close(options: { force?: boolean; timeoutMs?: number }): Promise<void> {
    if (options.force === true || options.timeoutMs! < SETTLE_MS) this.#givesUp = true
    this.closing = true
    return this.dispatcher.close(options)
  }

  /** How often each attempt was started. */
  startsOf({ id }: TaskPlan): number[] {
    return Array.from(this.#starts.subarray(id * ATTEMPTS, (id + 1) * ATTEMPTS))
  }

  judge(): string[] {
    const faults = this.flights.flatMap(({ plan, signal, outcome, settledTwice, isLate, startsAtAbort }) => {
      const own = this.startsOf(plan)
      const fault =
        outcome === undefined
          ? `never settled, starts ${own}`
          : faultOf(plan, outcome, own, this.circumstances(signal, isLate || this.#givesUp, startsAtAbort))
      const described = `task ${plan.id} ${plan.name} ${JSON.stringify(plan.options)}`
      return [
        ...(fault === undefined ? [] : [`${described} ${fault}`]),
        ...(settledTwice ? [`${described} settled twice, or heard another's progress`] : []),
      ]
    })
    return [
      ...faults,
      ...this.#listenerFaults(),
      ...this.#gateFaults(),
      ...(this.#isHostile ? this.hostile.faults() : []),
    ]
  }

  #listenerFaults(): string[] {
    return this.#controllers.flatMap(({ signal }) => {
      const left = getEventListeners(signal, 'abort').length
      return left === 0 ? [] : [`${left} listeners are left on an abort signal`]
    })
  }

  /** More starts in a stretch of time than the gate lets through. */
  #gateFaults(): string[] {
    const times = this.flights
      .filter(({ plan }) => plan.options.gate === 'capped')
      .flatMap(({ plan: { id } }) => Array.from(this.#startTimes.subarray(id * ATTEMPTS, (id + 1) * ATTEMPTS)))
      .filter((time) => time > 0)
      .sort((one, other) => one - other)
    const allowed = CAPPED.intervalCap + HELD_UP
    const at = times.findIndex((time, index) => times[index + allowed]! - time < CAPPED.intervalMs - 1)
    return at === -1 ? [] : [`${allowed + 1} starts behind a gate within ${times[at + allowed]! - times[at]!} ms`]
  }
}

/** The host's own thread does not get on either. */
function spin(ms: number): void {
  const endsAt = performance.now() + ms
  while (performance.now() < endsAt);
}
