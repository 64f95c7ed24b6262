/** Whether an outcome is one that the task's plan, its options and what happened to the run allow. */

import type { TaskPlan } from './task-plan.js'

export type Outcome =
  | { readonly ok: true /** What is wrong with the answer. */; readonly fault: string | undefined }
  | { readonly ok: false /** What the promise rejected with. */; readonly error: unknown }

/** What the run did that a task may feel. */
export interface Circumstances {
  readonly signal: AbortSignal | undefined
  /** How often the task had been started when its signal fired before it had settled. */
  readonly startsAtAbort: number | undefined
  /** Whether it was submitted to a dispatcher that closed, or to one whose close did not wait for it. */
  readonly mayBeClosed: boolean
  readonly bounded: boolean
  readonly stallsAreKilled: boolean
  /** What tags were cancelled with. */
  readonly cancelReasons: ReadonlySet<unknown>
  /** What code of this run threw in the task's own callbacks and getters. */
  readonly ownThrows: ReadonlySet<unknown>
}

/** One sentence about what is wrong, or undefined. `starts`: how often each attempt was started. */
export function faultOf(
  plan: TaskPlan,
  outcome: Outcome,
  starts: readonly number[],
  run: Circumstances,
): string | undefined {
  const total = starts.reduce((sum, count) => sum + count, 0)
  if (starts.some((count) => count > 1)) return `an attempt was started twice: ${starts}`
  const allowed = 1 + (plan.options.retries?.times ?? 0)
  if (total > allowed) return `${total} starts where ${allowed} are allowed`
  const isOwnEnd = outcome.ok || (outcome.error as CodedError)?.code === 'CHAOS'
  // What is not running when its signal fires is taken out, what runs is asked to end: neither may start again.
  if (isOwnEnd && run.startsAtAbort !== undefined && total > run.startsAtAbort) return 'started after its abort'
  if (!outcome.ok) return faultOfError(plan, outcome.error, total, run)
  if (!plan.ends.includes('answer')) return `answered${outcome.fault === undefined ? '' : ` and ${outcome.fault}`}`
  return total === 0 ? 'answered without a start' : outcome.fault
}

interface CodedError extends Error {
  readonly code?: string
  readonly id?: number
}

export function faultOfError(plan: TaskPlan, value: unknown, starts: number, run: Circumstances): string | undefined {
  if (run.ownThrows.has(value)) return undefined
  if (!(value instanceof Error)) return `rejected with ${String(value)}`
  const error = value as CodedError
  const wrong = `rejected with ${error.code} after ${starts} starts: ${error.stack}`
  const { options, ends, payload } = plan
  const isAbort =
    (run.signal?.aborted === true && error.cause === run.signal.reason) ||
    (options.tag !== undefined && run.cancelReasons.has(error.cause))
  const isUnwritable = payload.call !== undefined || payload.nested !== undefined
  const isJustified: Record<string, boolean> = {
    CHAOS: ends.includes('throw') && error.id === plan.id && error.name === 'RangeError' && starts > 0,
    EVENKEEL_TIMEOUT: options.runTimeoutMs !== undefined && starts > 0,
    EVENKEEL_QUEUE_TIMEOUT: options.queueTimeoutMs !== undefined && starts === 0,
    EVENKEEL_DEADLINE: options.deadlineMs !== undefined,
    EVENKEEL_ABORTED: isAbort && error.name === 'AbortError',
    EVENKEEL_WORKER_EXIT: (ends.includes('exit') || run.stallsAreKilled) && starts > 0,
    EVENKEEL_POISON: ends.includes('exit') && starts >= 3,
    // What was moved to a worker is lost with it, started or not.
    EVENKEEL_LOST_WITH_WORKER: starts > 0 || payload.buffer !== undefined,
    EVENKEEL_CLONE: plan.isTrap
      ? run.ownThrows.has(error.cause)
      : ends.includes('unread')
        ? starts === 0
        : ends.includes('clone') && (isUnwritable ? starts === 0 : starts > 0),
    EVENKEEL_UNKNOWN_TASK: ends.includes('unknown') && starts === 0,
    EVENKEEL_QUEUE_FULL: run.bounded && starts === 0,
    EVENKEEL_CLOSED: run.mayBeClosed,
  }
  return isJustified[error.code ?? ''] ? undefined : wrong
}
