/** Statistics and counts of the tasks of each name. */

import { type ErrorCode, EvenkeelError } from '../../base/errors.js'
import type { TaskKind } from '../../protocol/batch.js'
import { type DurationCounts, DurationHistogram } from './duration-histogram.js'

/** Expected run of a name without history, ms: long enough that its first tasks spread over the workers. */
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
/** After this many runs it is known how long a name usually takes. */
const KNOWN_RUNS = 20
/**
 * Factor of the longest run with each further one: it halves in some 700 runs. A length of one run in a hundred stays
 * visible.
 */
const LONGEST_DECAY = 0.999
/**
 * One run raises the longest of a known name to this at most, ms, or to four times its value: so a stall changes
 * little.
 */
const LONGEST_CLIP_MS = 250
const LONGEST_CLIP_FACTOR = 4

export class TaskStats {
  readonly name: string
  /** Learned when the first worker has loaded the module; until then all tasks wait. */
  kind: TaskKind = 'cpu'
  /** Counts of the name. Names that the module does not offer share one. */
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

  /** Mean duration of a successful run, ms. */
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

  /** Longest of the last thousand runs or so, clipped, ms; 0 without runs. A run of this length is no fault. */
  get longestMs(): number {
    return this.#longestMs
  }

  /** Median of the run time, ms; 0 without runs. */
  get medianMs(): number {
    return this.tally.runTimes.quantileMs(0.5)
  }
}

/** All names that tasks were called by, with their statistics, and the names that the module offers. */
export class TaskNames {
  readonly #stats = new Map<string, TaskStats>()
  /** Counts of all names that the module does not offer, together. */
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
      // Names that the module does not offer are refused, and must not fill memory here.
      if (this.#offered?.has(name) === false) return new TaskStats(name, this.#unoffered)
      stats = new TaskStats(name)
      stats.kind = this.#offered?.get(name) ?? 'cpu'
      this.#stats.set(name, stats)
    }
    return stats
  }

  /** Statistics for a refused call. Its name may be anything, so it gets an entry only if the module offers it. */
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
      // The name was called before the names were known. Its tasks will be refused, so their counts move to the common
      // entry.
      this.#unoffered.add(stats.tally)
      stats.tally = this.#unoffered
      this.#stats.delete(name)
    }
  }

  /** Counts of each name, in the order in which they were first called. */
  counts(): TaskCounts[] {
    const named = [...this.#stats].map(([name, { tally }]) => tally.counts(name))
    return this.#unoffered.submitted === 0 ? named : [...named, this.#unoffered.counts(undefined)]
  }

  /** Wait and run times summed over all names: O(names), about 0.3 µs each. */
  times(): { wait: DurationHistogram; run: DurationHistogram } {
    const times = { wait: new DurationHistogram(), run: new DurationHistogram() }
    for (const { tally } of this.#stats.values()) {
      times.wait.add(tally.waitTimes)
      times.run.add(tally.runTimes)
    }
    return times
  }
}

// Counts of the tasks of one name since the pool began.

/**
 * How a call of `run` ended: with a result; with an error of the task; by a time limit; by an abort or the close;
 * with its worker; refused.
 */
export type TaskOutcome = 'ok' | 'error' | 'timeout' | 'aborted' | 'crashed' | 'rejected'

/** Why a task is tried again: its worker was lost, or it threw. */
export type FailureKind = 'worker-loss' | 'thrown'

/** Counts of the tasks of one name since the pool began. They only grow. */
export interface TaskCounts {
  /** The name. Undefined: all names that the module does not offer, together. */
  readonly task: string | undefined
  /** Calls of `run`, refused ones included. */
  readonly submitted: number
  readonly outcomes: Readonly<Record<TaskOutcome, number>>
  /** Further attempts. */
  readonly retries: Readonly<Record<FailureKind, number>>
  /** Submission to start, of every attempt that was answered. */
  readonly wait: DurationCounts
  /** Start to finish, of the same. */
  readonly run: DurationCounts
  /** Submission to the settling of the promise, of every accepted task. */
  readonly total: DurationCounts
}

const OUTCOMES: Readonly<Partial<Record<ErrorCode, TaskOutcome>>> = {
  EVENKEEL_TIMEOUT: 'timeout',
  EVENKEEL_DEADLINE: 'timeout',
  EVENKEEL_QUEUE_TIMEOUT: 'timeout',
  EVENKEEL_ABORTED: 'aborted',
  EVENKEEL_CLOSED: 'aborted',
  EVENKEEL_WORKER_EXIT: 'crashed',
  EVENKEEL_LOST_WITH_WORKER: 'crashed',
  EVENKEEL_POISON: 'crashed',
  EVENKEEL_UNKNOWN_TASK: 'rejected',
}

/**
 * The outcome of an accepted task that the dispatcher rejected, by the error's code. An error that the task threw
 * counts as `error`, whatever its code.
 */
export function outcomeOf(reason: unknown): TaskOutcome {
  return (reason instanceof EvenkeelError ? OUTCOMES[reason.code] : undefined) ?? 'error'
}

/** Counting costs a task some 20 ns in all; the three histograms take 10 KiB. */
export class TaskTally {
  submitted = 0
  readonly outcomes: Record<TaskOutcome, number> = { ok: 0, error: 0, timeout: 0, aborted: 0, crashed: 0, rejected: 0 }
  readonly retries: Record<FailureKind, number> = { 'worker-loss': 0, thrown: 0 }
  readonly waitTimes = new DurationHistogram()
  readonly runTimes = new DurationHistogram()
  readonly totalTimes = new DurationHistogram()

  /** Adds the counts of another tally. */
  add(other: TaskTally): void {
    this.submitted += other.submitted
    for (const outcome of Object.keys(this.outcomes) as TaskOutcome[]) this.outcomes[outcome] += other.outcomes[outcome]
    for (const failure of Object.keys(this.retries) as FailureKind[]) this.retries[failure] += other.retries[failure]
    this.waitTimes.add(other.waitTimes)
    this.runTimes.add(other.runTimes)
    this.totalTimes.add(other.totalTimes)
  }

  /** A copy: 10 KiB. */
  counts(task: string | undefined): TaskCounts {
    return {
      task,
      submitted: this.submitted,
      outcomes: { ...this.outcomes },
      retries: { ...this.retries },
      wait: this.waitTimes.counts(),
      run: this.runTimes.counts(),
      total: this.totalTimes.counts(),
    }
  }
}
