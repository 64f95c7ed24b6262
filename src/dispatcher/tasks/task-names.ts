/** The names that tasks are called by, each with its statistics, and what the module says of them. */

import type { TaskKind } from '../../protocol/batch.js'
import { DurationHistogram } from './duration-histogram.js'
import { TaskStats } from './task-stats.js'
import { type TaskCounts, TaskTally } from './task-tally.js'

export class TaskNames {
  readonly #stats = new Map<string, TaskStats>()
  /** What is counted of all names together that the module does not offer. */
  readonly #unoffered = new TaskTally()
  /** The names the module offers; undefined until a worker has loaded it. */
  #offered: ReadonlyMap<string, TaskKind> | undefined

  /** False until a worker has said which names are offered and which of them are I/O. */
  get known(): boolean {
    return this.#offered !== undefined
  }

  /** The names the module offers, in its order; a new list, empty until a worker has loaded it. */
  get offered(): string[] {
    return [...(this.#offered?.keys() ?? [])]
  }

  statsOf(name: string): TaskStats {
    let stats = this.#stats.get(name)
    if (stats === undefined) {
      // Names that the module does not offer are refused; they must not pile up here.
      if (this.#offered?.has(name) === false) return new TaskStats(name, this.#unoffered)
      stats = new TaskStats(name)
      stats.kind = this.#offered?.get(name) ?? 'cpu'
      this.#stats.set(name, stats)
    }
    return stats
  }

  /** Where a refused call counts; its name may be anything, and makes no new entry unless the module offers it. */
  tallyOf(name: unknown): TaskTally {
    if (typeof name !== 'string') return this.#unoffered
    if (this.#offered?.has(name)) return this.statsOf(name).tally
    return this.#stats.get(name)?.tally ?? this.#unoffered
  }

  learn(names: readonly string[], kinds: readonly TaskKind[]): void {
    this.#offered = new Map(names.map((name, index) => [name, kinds[index]]))
    for (const [name, stats] of this.#stats) {
      stats.kind = this.#offered.get(name) ?? 'cpu'
      if (stats.runs > 0 || this.#offered.has(name)) continue
      // Called before anybody could know. Its tasks are about to be refused, and count where the later ones do.
      this.#unoffered.add(stats.tally)
      stats.tally = this.#unoffered
      this.#stats.delete(name)
    }
  }

  /** What was counted of each name, in the order in which they were first called. */
  counts(): TaskCounts[] {
    const named = [...this.#stats].map(([name, { tally }]) => tally.counts(name))
    return this.#unoffered.submitted === 0 ? named : [...named, this.#unoffered.counts(undefined)]
  }

  /** Wait and run times of all names together, newly added up: O(names), about 0.3 µs each. */
  times(): { wait: DurationHistogram; run: DurationHistogram } {
    const times = { wait: new DurationHistogram(), run: new DurationHistogram() }
    for (const { tally } of this.#stats.values()) {
      times.wait.add(tally.waitTimes)
      times.run.add(tally.runTimes)
    }
    return times
  }
}
