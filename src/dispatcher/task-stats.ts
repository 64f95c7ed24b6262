/** What is known of all tasks of one name, shared by all workers. */

import type { TaskKind } from '../protocol/batch.js'
import { TaskTally } from './task-tally.js'

/** A name without history counts as this long, ms: long enough that its first tasks spread over the workers. */
export const UNKNOWN_RUN_MS = 1
/**
 * Longest sample that enters the mean, ms. Unclipped, one run of 1.5 s left the window at 2 for the next 2,000
 * tasks; clipped, at 51.
 */
const CLIP_MS = 4
/** Weight of a sample once there are many: about the last 256 runs count. */
const MIN_WEIGHT = 1 / 256
/** Weight of a sample of the successful runs. */
const OK_WEIGHT = 1 / 32
/** Runs before the 99th percentile says anything, and how often it is computed anew. */
const P99_MIN_RUNS = 20

export class TaskStats {
  readonly name: string
  /** Learned when the first worker has loaded the module; until then all tasks wait. */
  kind: TaskKind = 'cpu'
  /** What is counted of the name; names that the module does not offer share one. */
  tally: TaskTally
  /** Smoothed run time, ms. */
  meanMs = UNKNOWN_RUN_MS
  #runs = 0
  /** Smoothed run time of runs that succeeded, unclipped, ms. */
  okMeanMs = 0
  #p99Ms = 0
  #p99Runs = 0

  constructor(name: string, tally = new TaskTally()) {
    this.name = name
    this.tally = tally
  }

  get runs(): number {
    return this.#runs
  }

  /** How long a run takes that succeeds, ms. */
  get serviceMs(): number {
    return this.okMeanMs === 0 ? UNKNOWN_RUN_MS : this.okMeanMs
  }

  record(runUs: number, ok: boolean): void {
    this.#runs++
    if (ok)
      this.okMeanMs = this.okMeanMs === 0 ? runUs / 1000 : this.okMeanMs + (runUs / 1000 - this.okMeanMs) * OK_WEIGHT
    this.tally.runTimes.record(runUs)
    const sampleMs = Math.min(runUs / 1000, CLIP_MS)
    const weight = Math.max(MIN_WEIGHT, 1 / this.#runs)
    this.meanMs += (sampleMs - this.meanMs) * weight
  }

  /** 99th percentile of the run time, ms; 0 before there are 20 runs. Refreshed when the runs grew by a tenth. */
  get p99Ms(): number {
    if (this.#runs < P99_MIN_RUNS) return 0
    if (this.#runs >= this.#p99Runs * 1.1) {
      this.#p99Ms = this.tally.runTimes.quantileMs(0.99)
      this.#p99Runs = this.#runs
    }
    return this.#p99Ms
  }

  /** Median of the run time, ms; 0 without runs. */
  get medianMs(): number {
    return this.tally.runTimes.quantileMs(0.5)
  }
}
