/** What is known of all tasks of one name, shared by all workers. */

import type { TaskKind } from '../../protocol/batch.js'
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
/** Runs after which it is known how long a name usually takes. */
const KNOWN_RUNS = 20
/** What the longest run fades by with each further one: to a half in some 700. A mode of one run in a hundred stays. */
const LONGEST_DECAY = 0.999
/** A run of a known name raises its longest at most to this, ms, or to four times what it was: a stall teaches little. */
const LONGEST_CLIP_MS = 250
const LONGEST_CLIP_FACTOR = 4

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
  #longestMs = 0

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
    const runMs = runUs / 1000
    const clipMs = this.isKnown ? Math.max(LONGEST_CLIP_MS, LONGEST_CLIP_FACTOR * this.#longestMs) : runMs
    this.#longestMs = Math.max(Math.min(runMs, clipMs), this.#longestMs * LONGEST_DECAY)
    this.#runs++
    if (ok) this.okMeanMs = this.okMeanMs === 0 ? runMs : this.okMeanMs + (runMs - this.okMeanMs) * OK_WEIGHT
    this.tally.runTimes.record(runUs)
    const sampleMs = Math.min(runMs, CLIP_MS)
    const weight = Math.max(MIN_WEIGHT, 1 / this.#runs)
    this.meanMs += (sampleMs - this.meanMs) * weight
  }

  /** Whether there were enough runs to know how long one usually takes. */
  get isKnown(): boolean {
    return this.#runs >= KNOWN_RUNS
  }

  /** The longest run of the last thousand or so, ms, clipped; 0 without runs. What usually is no fault. */
  get longestMs(): number {
    return this.#longestMs
  }

  /** Median of the run time, ms; 0 without runs. */
  get medianMs(): number {
    return this.tally.runTimes.quantileMs(0.5)
  }
}
