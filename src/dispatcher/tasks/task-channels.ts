/**
 * What happens to tasks, on Node's diagnostics channels `evenkeel:task:submit`, `:settle` and `:retry`, and the queue
 * that takes no more of them, on `evenkeel:queue:saturated`. A message is made only when someone subscribes; else a task
 * pays a look at each channel, about a nanosecond.
 */

import { channel } from 'node:diagnostics_channel'
import { publishSoon } from './outside-call.js'
import type { Task } from './task.js'

const SUBMIT = channel('evenkeel:task:submit')
const SETTLE = channel('evenkeel:task:settle')
const RETRY = channel('evenkeel:task:retry')
const SATURATED = channel('evenkeel:queue:saturated')

/** The task was accepted. */
export function tellSubmitted(task: Task): void {
  if (SUBMIT.hasSubscribers) publishSoon(SUBMIT, { task: task.name, kind: task.kind, priority: task.priority })
}

/** The task settled, with `error` when it rejected. */
export function tellSettled(task: Task, ok: boolean, error: unknown): void {
  if (SETTLE.hasSubscribers)
    publishSoon(SETTLE, { task: task.name, kind: task.kind, attempts: task.attempt, ok, error })
}

/** The task failed and will be tried again. */
export function tellRetried(task: Task, failure: string, delayMs: number): void {
  if (RETRY.hasSubscribers)
    publishSoon(RETRY, { task: task.name, kind: task.kind, attempt: task.attempt, failure, delayMs })
}

/** The task found a full queue, as the first one since there was room. */
export function tellSaturated(task: Task, maxQueue: number): void {
  if (SATURATED.hasSubscribers) publishSoon(SATURATED, { task: task.name, maxQueue })
}
