/**
 * Calls that every worker must run, also one that starts later. A thread that has loaded the module runs all earlier
 * broadcasts in order, before it takes its first task.
 */

import type { Lane } from '../../engine/lane.js'
import type { TaskKind } from '../../protocol/batch.js'
import type { ReplayedCall } from '../../protocol/control.js'
import type { Task } from '../tasks/task.js'
import type { PoolWorker } from './pool-worker.js'

/** A thread that has loaded the module and is not ready yet. */
interface Arrival {
  readonly names: readonly string[]
  readonly kinds: readonly TaskKind[]
  /** How many calls it has run, or was told to run. */
  readonly told: Set<ReplayedCall>
}

export class Broadcasts {
  #calls: ReplayedCall[] = []
  readonly #arrivals = new WeakMap<PoolWorker, Arrival>()
  readonly #ready: (worker: PoolWorker, names: readonly string[], kinds: readonly TaskKind[]) => void

  /** @param ready called with each loaded worker that has run all calls */
  constructor(ready: (worker: PoolWorker, names: readonly string[], kinds: readonly TaskKind[]) => void) {
    this.#ready = ready
  }

  /**
   * From now on, every new thread runs the call before its first task. `onlyLast`: it replaces earlier calls of its
   * name.
   */
  keep(call: ReplayedCall, onlyLast: boolean): void {
    if (onlyLast) this.#calls = this.#calls.filter(({ name }) => name !== call.name)
    this.#calls.push(call)
  }

  drop(call: ReplayedCall): void {
    this.#calls = this.#calls.filter((other) => other !== call)
  }

  /** The worker's thread has loaded the module. */
  arrived(worker: PoolWorker, lane: Lane<Task>, names: readonly string[], kinds: readonly TaskKind[]): void {
    this.#arrivals.set(worker, { names, kinds, told: new Set() })
    this.goOn(worker, lane)
  }

  /** The worker has run the calls. It is ready, unless there was another broadcast meanwhile. */
  goOn(worker: PoolWorker, lane: Lane<Task>): void {
    const { names, kinds, told } = this.#arrivals.get(worker)!
    const calls = this.#calls.filter((call) => !told.has(call))
    if (calls.length === 0) {
      this.#arrivals.delete(worker)
      this.#ready(worker, names, kinds)
      return
    }
    for (const call of calls) told.add(call)
    lane.tell({ type: 'replay', calls })
  }
}
