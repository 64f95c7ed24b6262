/** How long a thread may take to start, and the callers that wait for ready workers. */

import { EvenkeelError } from '../../base/errors.js'
import type { Emit, SlowStartEvent, StartPhase } from '../options/events.js'
import type { ResolvedOptions } from '../options/options.js'
import type { Crew } from './crew.js'
import type { PoolWorker } from './pool-worker.js'

/** A start that takes longer is reported once, ms. */
const SLOW_START_MS = 10_000
/** What one tick counts at most, ms. */
const MAX_STEP_MS = 100

const NOT_DONE: Readonly<Record<StartPhase, string>> = {
  thread: 'its thread is not up',
  module: 'its import has not ended',
  setup: 'its `setup` has not settled',
  broadcast: 'what was broadcast has not settled',
}

type LoadingCrew = Pick<Crew, 'workers' | 'failedToLoad'>
type StartOptions = Pick<ResolvedOptions, 'moduleUrl' | 'startTimeoutMs'>

/**
 * How long a thread may take to start: to boot, to import the task module, to run its `setup` and what was broadcast.
 * Only time seen by ticks counts, so a stopped process or a blocked main thread is not held against the thread. There
 * are no ticks while nobody waits.
 */
export class StartLimit {
  readonly #crew: LoadingCrew
  readonly #options: StartOptions
  readonly #emit: Emit
  #lookedMs = 0

  constructor(crew: LoadingCrew, options: StartOptions, emit: Emit) {
    this.#crew = crew
    this.#options = options
    this.#emit = emit
  }

  look(nowMs: number): void {
    const stepMs = Math.min(nowMs - this.#lookedMs, MAX_STEP_MS)
    this.#lookedMs = nowMs
    for (const worker of this.#crew.workers) {
      if (worker.state !== 'starting') continue
      const beforeMs = worker.startingMs
      worker.startingMs += stepMs
      if (worker.startingMs >= this.#options.startTimeoutMs) this.#end(worker)
      else if (beforeMs < SLOW_START_MS && worker.startingMs >= SLOW_START_MS)
        this.#emit('slowStart', slowStart(worker))
    }
  }

  #end(worker: PoolWorker): void {
    // The news that it has loaded may be in the port.
    worker.lane?.readAnswers()
    if (worker.state !== 'starting') return
    const { moduleUrl, startTimeoutMs: limitMs } = this.#options
    const message = `${moduleUrl} was not loaded within ${limitMs} ms: ${NOT_DONE[phaseOf(worker)]}`
    const error = new EvenkeelError('EVENKEEL_MODULE_LOAD', message, { slot: worker.slot, limitMs })
    this.#crew.failedToLoad(worker, error)
  }
}

function phaseOf({ lane, startPhase }: PoolWorker): StartPhase {
  return lane === undefined ? 'thread' : startPhase
}

function slowStart(worker: PoolWorker): SlowStartEvent {
  const { slot, threadId, startingMs } = worker
  return { slot, threadId, waitsFor: phaseOf(worker), startingMs }
}

interface Waiter {
  /** Workers that have to be ready. */
  readonly workers: number
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** Callers that wait until enough workers have loaded the task module. */
export class Readiness {
  #waiters: Waiter[] = []

  /** How many wait. */
  get size(): number {
    return this.#waiters.length
  }

  /** Resolves when so many workers are ready, or as many as there may be. */
  wait(workers: number): Promise<void> {
    return new Promise((resolve, reject) => this.#waiters.push({ workers, resolve, reject }))
  }

  /** `ready` workers are ready, of at most `max`. */
  reached(ready: number, max: number): void {
    const waiters = this.#waiters
    this.#waiters = waiters.filter(({ workers }) => ready < Math.min(workers, max))
    for (const { workers, resolve } of waiters) if (ready >= Math.min(workers, max)) resolve()
  }

  failed(error: Error): void {
    for (const { reject } of this.#waiters.splice(0)) reject(error)
  }
}
