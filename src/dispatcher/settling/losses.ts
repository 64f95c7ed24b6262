/**
 * Who is to blame when a thread dies with started tasks, and the errors for it: the culprit rejects with what it did,
 * the others as bystanders. Also the errors of tasks that nobody can run. Whether a task is tried again: `retries.ts`.
 */

import { EvenkeelError } from '../../base/errors.js'
import { adviceOnName } from '../../base/nearest-name.js'
import { DONE } from '../../board/claims.js'
import type { Lane } from '../../engine/lane.js'
import type { ExitCause } from '../../engine/supervisor.js'
import type { PoolWorker } from '../crew/pool-worker.js'
import { messageOf, reasonOf, withCauseStack } from '../crew/thread-ends.js'
import type { Task } from '../tasks/task.js'

export interface Loss {
  readonly task: Task
  readonly error: EvenkeelError
  readonly isCulprit: boolean
}

/** One loss per started task. Unstarted tasks must have been taken back before. */
export function lossesOf(worker: PoolWorker, lane: Lane<Task>, cause: ExitCause): Loss[] {
  // A thread that was ended on purpose may have been running any task, so only the blamed one counts.
  const culprit = worker.endExpected ? worker.blamed : culpritOf(lane)
  const reason = reasonOf(worker, cause)
  return [...lane.cpu, ...lane.io].map((task) => {
    // A finished task is never the culprit. Only its answer was lost.
    const isCulprit = task === culprit && lane.stateOf(task) !== DONE
    const error = isCulprit
      ? culpritError(task, worker.slot, reason, cause)
      : bystanderError(task, worker.slot, reason, cause)
    return { task, error, isCulprit }
  })
}

function culpritOf(lane: Lane<Task>): Task | undefined {
  const { culprit } = lane.row
  // 0: no JavaScript ran at the end, so the task that holds the turn was running.
  return culprit === 0 ? lane.runningTask : lane.taskOf(culprit - 1)
}

function culpritError(task: Task, slot: number, reason: unknown, cause: ExitCause): EvenkeelError {
  const { exitCode } = cause
  const why = reason === undefined ? `exit code ${exitCode}` : messageOf(reason)
  const error = new EvenkeelError('EVENKEEL_WORKER_EXIT', `task "${task.name}" ended its worker: ${why}`, {
    cause: reason,
    task: task.name,
    exitCode,
    slot,
    attempts: task.attempt,
  })
  return withCauseStack(error, reason)
}

function bystanderError(task: Task, slot: number, reason: unknown, cause: ExitCause): EvenkeelError {
  const why = reason === undefined ? `exit code ${cause.exitCode}` : messageOf(reason)
  return new EvenkeelError(
    'EVENKEEL_LOST_WITH_WORKER',
    `task "${task.name}" was lost with its worker, which another cause ended: ${why}`,
    { cause: reason, task: task.name, exitCode: cause.exitCode, slot, attempts: task.attempt },
  )
}

/** `names`: the tasks of the module. */
export function unknownTaskError({ name }: Task, moduleUrl: string, names: readonly string[]): EvenkeelError {
  const message = `${moduleUrl} exports no task "${name}"; ${adviceOnName(name, names, 'its tasks are')}`
  return new EvenkeelError('EVENKEEL_UNKNOWN_TASK', message, { task: name })
}

/** The task was for one worker, whose thread ended before the task started. */
export function unplacedError(task: Task): EvenkeelError {
  const { name, options } = task
  const message = `task "${name}" was lost with worker ${options.slot}, which it was meant for`
  return new EvenkeelError('EVENKEEL_LOST_WITH_WORKER', message, { task: name, slot: options.slot })
}

/** A call came after the close. */
export function closedError(): EvenkeelError {
  return new EvenkeelError('EVENKEEL_CLOSED', 'the dispatcher is closed and takes no more tasks')
}
