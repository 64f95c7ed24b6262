/** Calls that run a task on every worker: `runOnAll` and `broadcast`. */

import { checkOneOf, ownOptions } from '../base/checks.js'
import { EvenkeelError } from '../base/errors.js'
import { cloneRejection, refuseEmptied } from '../protocol/clone-rejection.js'
import type { ReplayedCall } from '../protocol/control.js'
import type { Broadcasts } from './crew/broadcasts.js'
import type { Crew } from './crew/crew.js'
import { type CallOptions, checkRunOptions, type RunOptions } from './options/run-options.js'
import type { TaskOptions } from './tasks/task.js'

/** What threads that start later do about a broadcast. */
export type Replay = 'all' | 'last' | 'none'

export interface WholePoolParts {
  readonly crew: Crew
  readonly broadcasts: Broadcasts
  /** Resolves when enough workers are ready. */
  ready(): Promise<void>
  start(name: string, payload: unknown, options: TaskOptions): Promise<unknown>
}

export class WholePool {
  readonly #parts: WholePoolParts

  constructor(parts: WholePoolParts) {
    this.#parts = parts
  }

  /**
   * Runs the task once on every ready worker; if none is ready, on the first that will be. Results in the order of the
   * slots.
   */
  async runOnAll(name: string, payload: unknown, options: TaskOptions): Promise<unknown[]> {
    if (this.#parts.crew.ready === 0) await this.#parts.ready()
    return Promise.all(this.#readySlots().map((slot) => this.#parts.start(name, payload, { ...options, slot })))
  }

  async broadcast(name: string, payload: unknown, replay: Replay): Promise<void> {
    const { crew, broadcasts } = this.#parts
    // A copy: what is replayed later is what was given now.
    const call = { name, payload: copyOf(payload, name) }
    const slots = this.#readySlots()
    if (replay !== 'none') broadcasts.keep(call, replay === 'last')
    try {
      if (replay !== 'none' && crew.ready === 0) await this.#parts.ready()
      else if (replay === 'none') await this.runOnAll(name, payload, {})
      else await Promise.all(slots.map((slot) => this.#runOn(slot, call)))
    } catch (error) {
      // It failed on a worker, so it is not replayed to later ones.
      broadcasts.drop(call)
      throw error
    }
  }

  async #runOn(slot: number, { name, payload }: ReplayedCall): Promise<void> {
    try {
      await this.#parts.start(name, payload, { slot })
    } catch (error) {
      // The successor of a lost worker runs the call before its first task.
      if (!(error instanceof EvenkeelError && error.code === 'EVENKEEL_LOST_WITH_WORKER')) throw error
    }
  }

  #readySlots(): number[] {
    return this.#parts.crew.workers.filter((worker) => worker.isReady).map(({ slot }) => slot)
  }
}

function copyOf(payload: unknown, task: string): unknown {
  refuseEmptied(payload, 'payload', undefined, task)
  try {
    return structuredClone(payload)
  } catch (thrown) {
    throw cloneRejection({ root: 'payload', value: payload, thrown, task })
  }
}

/** Options of `Dispatcher.runOnAll`. Each holds for every worker's task, as in `run`. */
export type RunOnAllOptions = Pick<RunOptions, 'signal' | 'runTimeoutMs' | 'deadlineMs' | 'tag' | 'onProgress'>

/** Options of `Dispatcher.broadcast`. */
export interface BroadcastOptions {
  /** What threads that start later run: every broadcast, default; only the `last` of its name; nothing. */
  readonly replay?: 'all' | 'last' | 'none'
}

const RUN_ON_ALL_KEYS: readonly (keyof RunOnAllOptions)[] = [
  'signal',
  'runTimeoutMs',
  'deadlineMs',
  'tag',
  'onProgress',
]

/** What the calls that concern every worker take. */
export function checkRunOnAll(value: unknown, defaults: Readonly<CallOptions>): RunOnAllOptions {
  return checkRunOptions(value, RUN_ON_ALL_KEYS, defaults)
}

export function checkBroadcast(value: unknown): Replay {
  const { replay } = ownOptions('', value, ['replay'])
  return replay === undefined ? 'all' : checkOneOf('replay', replay, ['all', 'last', 'none'])
}
