/** What is counted of the tasks of one name, from the first to the last of them. */

import { type ErrorCode, EvenkeelError } from '../../base/errors.js'
import { type DurationCounts, DurationHistogram } from './duration-histogram.js'

/**
 * How a call of `run` ended: with a result, with what the task threw, by a limit of time, by an abort or the close, with
 * its worker, or refused.
 */
export type TaskOutcome = 'ok' | 'error' | 'timeout' | 'aborted' | 'crashed' | 'rejected'

/** Why a task is tried again: its worker was lost, or it threw. */
export type FailureKind = 'worker-loss' | 'thrown'

/** What was counted of the tasks of one name since the pool began. Counts only grow. */
export interface TaskCounts {
  /** The name; undefined for all names together that the module does not offer. */
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

/** What an accepted task comes to that the dispatcher rejects; what a task throws by itself is an `error`, whatever it is. */
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

  /** Takes over what another has counted. */
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
