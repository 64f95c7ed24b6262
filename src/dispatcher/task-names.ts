/** The names that tasks are called by, each with its statistics, and what the module says of them. */

import type { TaskKind } from '../protocol/batch.js'
import { TaskStats } from './task-stats.js'

export class TaskNames {
  readonly #stats = new Map<string, TaskStats>()
  /** The names the module offers; undefined until a worker has loaded it. */
  #offered: ReadonlyMap<string, TaskKind> | undefined

  /** False until a worker has said which names are offered and which of them are I/O. */
  get known(): boolean {
    return this.#offered !== undefined
  }

  statsOf(name: string): TaskStats {
    let stats = this.#stats.get(name)
    if (stats === undefined) {
      stats = new TaskStats(name)
      stats.kind = this.#offered?.get(name) ?? 'cpu'
      // Names that the module does not offer are refused; they must not pile up here.
      if (this.#offered === undefined || this.#offered.has(name)) this.#stats.set(name, stats)
    }
    return stats
  }

  learn(names: readonly string[], kinds: readonly TaskKind[]): void {
    this.#offered = new Map(names.map((name, index) => [name, kinds[index]]))
    for (const [name, stats] of this.#stats) stats.kind = this.#offered.get(name) ?? 'cpu'
  }
}
