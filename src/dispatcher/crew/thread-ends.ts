/** Why a thread ended or failed to start: as an event for listeners, and as errors. */

import { EvenkeelError } from '../../base/errors.js'
import type { ExitCause } from '../../engine/supervisor.js'
import type { ExitEvent, ExitReason } from '../options/events.js'
import type { PoolWorker } from './pool-worker.js'

/** What ended the thread, as far as it or Node could say. */
export function reasonOf(worker: PoolWorker, cause: ExitCause): unknown {
  return worker.uncaught === undefined ? cause.error : worker.uncaught.error
}

/** The thread's end as listeners hear of it; `closing` when the dispatcher ends too. */
export function exitEventOf(worker: PoolWorker, cause: ExitCause, closing: boolean): ExitEvent {
  const { slot, endExpected } = worker
  const error = reasonOf(worker, cause)
  const reason = closing ? 'shutdown' : exitReasonOf(worker, cause)
  return { slot, exitCode: cause.exitCode, expected: endExpected, reason, error }
}

function exitReasonOf(worker: PoolWorker, { error }: ExitCause): ExitReason {
  if (worker.loadFailed) return 'load'
  // It had finished what it held, or was not needed before it had begun.
  if (worker.stopping || (worker.endExpected && !worker.hasLoaded)) {
    return worker.afterDrain === 'restart' ? 'recycle' : 'idle'
  }
  if (worker.endExpected) return 'timeout'
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'oom' : 'crash'
}

/** A replayed broadcast failed in a new thread. */
export function replayError(slot: number, cause: unknown): EvenkeelError {
  const message = `what was broadcast failed in the new thread of worker ${slot}: ${messageOf(cause)}`
  return withCauseStack(new EvenkeelError('EVENKEEL_MODULE_LOAD', message, { cause, slot }), cause)
}

/** The thread ended before it had loaded the task module. */
export function endedWhileLoading(moduleUrl: string, cause: ExitCause, slot: number): EvenkeelError {
  const why = cause.error instanceof Error ? cause.error.message : `the thread ended with exit code ${cause.exitCode}`
  return new EvenkeelError('EVENKEEL_MODULE_LOAD', `${moduleUrl} could not be loaded: ${why}`, {
    cause: cause.error,
    exitCode: cause.exitCode,
    slot,
  })
}

/** The task module could not be loaded, because of what its import threw. */
export function moduleError(moduleUrl: string, cause: unknown): EvenkeelError {
  const message = `${moduleUrl} could not be loaded: ${messageOf(cause)}`
  return withCauseStack(new EvenkeelError('EVENKEEL_MODULE_LOAD', message, { cause }), cause)
}

/** The useful frames are those of the worker, so they are added to the stack that people print. */
export function withCauseStack(error: EvenkeelError, reason: unknown): EvenkeelError {
  if (reason instanceof Error && typeof reason.stack === 'string') error.stack += `\n  in the worker: ${reason.stack}`
  return error
}

/** The message of whatever was thrown. */
export function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason)
}
