/**
 * Who is to blame when a thread dies with started tasks: the culprit rejects with what it did, the others with an
 * error that says they were bystanders.
 */

import { EvenkeelError } from '../../base/errors.js'
import { adviceOnName } from '../../base/nearest-name.js'
import { DONE } from '../../board/claims.js'
import type { Lane } from '../../engine/lane.js'
import type { ExitCause } from '../../engine/supervisor.js'
import type { PoolWorker } from '../crew/pool-worker.js'
import { messageOf, reasonOf, withCauseStack } from '../crew/thread-ends.js'
import type { Task } from '../tasks/task.js'

/** Workers that a task may bring down before it is refused for good, however many retries are left. */
export const POISON_CRASHES = 3

export interface Loss {
  readonly task: Task
  readonly error: EvenkeelError
  readonly isCulprit: boolean
}

/** One loss per started task; posted ones must have been taken back before. */
export function lossesOf(worker: PoolWorker, lane: Lane<Task>, cause: ExitCause): Loss[] {
  // A thread that was ended on purpose may have been in the middle of anything.
  const culprit = worker.endExpected ? worker.blamed : culpritOf(lane)
  const reason = reasonOf(worker, cause)
  return [...lane.cpu, ...lane.io].map((task) => {
    // A finished task whose answer was lost on the way did nothing wrong, whoever it is.
    const isCulprit = task === culprit && lane.stateOf(task) !== DONE
    const error = isCulprit
      ? culpritError(task, worker.slot, reason, cause)
      : bystanderError(task, worker.slot, reason, cause)
    return { task, error, isCulprit }
  })
}

function culpritOf(lane: Lane<Task>): Task | undefined {
  const { culprit } = lane.row
  // 0: no JavaScript ran at the end, so whoever holds the turn was in the middle of it.
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

/** `names` are those of the tasks that the module has. */
export function unknownTaskError({ name }: Task, moduleUrl: string, names: readonly string[]): EvenkeelError {
  const message = `${moduleUrl} exports no task "${name}"; ${adviceOnName(name, names, 'its tasks are')}`
  return new EvenkeelError('EVENKEEL_UNKNOWN_TASK', message, { task: name })
}

/** The task was meant for one worker, which has gone before it could start it. */
export function unplacedError(task: Task): EvenkeelError {
  const { name, options } = task
  const message = `task "${name}" was lost with worker ${options.slot}, which it was meant for`
  return new EvenkeelError('EVENKEEL_LOST_WITH_WORKER', message, { task: name, slot: options.slot })
}

/** A call came after the close. */
export function closedError(): EvenkeelError {
  return new EvenkeelError('EVENKEEL_CLOSED', 'the dispatcher is closed and takes no more tasks')
}
