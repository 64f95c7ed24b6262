/** Whether an outcome is one that the task's plan, its options and what happened to the run allow. */

import type { TaskPlan } from './task-plan.js'

export interface Outcome {
  readonly ok: boolean
  /** The result, or what the promise rejected with. */
  readonly value: unknown
}

/** What the run did that a task may feel. */
export interface Circumstances {
  readonly signal: AbortSignal | undefined
  /** How often the task had been started when its signal fired before it had settled. */
  readonly startsAtAbort: number | undefined
  readonly closing: boolean
  readonly bounded: boolean
  readonly stallsAreKilled: boolean
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
  const isOwnEnd = outcome.ok || (outcome.value as CodedError)?.code === 'CHAOS'
  // What is not running when its signal fires is taken out, what runs is asked to end: neither may start again.
  if (isOwnEnd && run.startsAtAbort !== undefined && total > run.startsAtAbort) return 'started after its abort'
  return outcome.ok ? faultOfAnswer(plan, outcome.value, total) : faultOfError(plan, outcome.value, total, run)
}

function faultOfAnswer(plan: TaskPlan, value: unknown, starts: number): string | undefined {
  if (!plan.ends.includes('answer')) return `answered ${JSON.stringify(value)}`
  if (starts === 0) return 'answered without a start'
  return isOwnAnswer(plan, value) ? undefined : `got the answer ${JSON.stringify(value)}`
}

function isOwnAnswer({ id, name, payload }: TaskPlan, value: unknown): boolean {
  if (name === 'echo') {
    const echo = value as { id: number; text: string }
    return echo.id === id && echo.text === payload.text
  }
  if (name === 'moved') return value instanceof Uint32Array && value.length === 1024 && value[0] === id * 2 + 1
  return value === id * 2 + 1
}

interface CodedError extends Error {
  readonly code?: string
  readonly id?: number
}

function faultOfError(plan: TaskPlan, value: unknown, starts: number, run: Circumstances): string | undefined {
  if (!(value instanceof Error)) return `rejected with ${String(value)}`
  const error = value as CodedError
  const wrong = `rejected with ${error.code} after ${starts} starts: ${error.message}`
  const { options, ends } = plan
  const isJustified: Record<string, boolean> = {
    CHAOS: ends.includes('throw') && error.id === plan.id && error.name === 'RangeError' && starts > 0,
    EVENKEEL_TIMEOUT: options.runTimeoutMs !== undefined && starts > 0,
    EVENKEEL_QUEUE_TIMEOUT: options.queueTimeoutMs !== undefined && starts === 0,
    EVENKEEL_DEADLINE: options.deadlineMs !== undefined,
    EVENKEEL_ABORTED: run.signal?.aborted === true && error.name === 'AbortError' && error.cause === run.signal.reason,
    EVENKEEL_WORKER_EXIT: (ends.includes('exit') || run.stallsAreKilled) && starts > 0,
    EVENKEEL_POISON: ends.includes('exit') && starts >= 3,
    // What was moved to a worker is lost with it, started or not.
    EVENKEEL_LOST_WITH_WORKER: starts > 0 || plan.payload.buffer !== undefined,
    EVENKEEL_CLONE: ends.includes('clone') && (plan.payload.call === undefined ? starts > 0 : starts === 0),
    EVENKEEL_UNKNOWN_TASK: ends.includes('unknown') && starts === 0,
    EVENKEEL_QUEUE_FULL: run.bounded && starts === 0,
    EVENKEEL_CLOSED: run.closing,
  }
  return isJustified[error.code ?? ''] ? undefined : wrong
}
