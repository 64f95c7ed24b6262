/** The command's exit codes. Numbers of records are in the summary, never in the code. */

import { BatchInputError, BatchOutputError, BatchUsageError, JournalError } from '../batch/options/batch-errors.js'
import type { BatchSummary } from '../batch/options/batch-progress.js'

export const EXIT = {
  ok: 0,
  /** Some records failed. */
  failedRecords: 1,
  /** Wrong arguments, or an unusable module. */
  usage: 2,
  /** `--halt`, `--max-errors` or `--on-bad-record fail` stopped the run. */
  halted: 3,
  /** An input could not be read to its end, or the journal does not match the run. */
  input: 4,
  /** The output could not be written. */
  output: 5,
  interrupted: 130,
  terminated: 143,
  /** The reader of the output is gone. */
  brokenPipe: 141,
} as const

/** Invalid options, and a module that cannot be loaded or does not have the task. */
const USAGE_CODES: ReadonlySet<unknown> = new Set([
  'EVENKEEL_INVALID_OPTION',
  'EVENKEEL_MODULE_LOAD',
  'EVENKEEL_UNKNOWN_TASK',
])

export function exitCodeOfError(error: unknown): number {
  if (error instanceof BatchInputError || error instanceof JournalError) return EXIT.input
  if (error instanceof BatchOutputError) {
    if (error.systemCode === 'EPIPE') return EXIT.brokenPipe
    // Not a fault of the disk: another run holds the lock.
    return error.systemCode === 'EVENKEEL_JOURNAL' ? EXIT.input : EXIT.output
  }
  const code = (error as { code?: unknown } | null)?.code
  if (error instanceof BatchUsageError || USAGE_CODES.has(code)) return EXIT.usage
  return EXIT.failedRecords
}

/** @param signal the first signal that stopped the run */
export function exitCodeOfRun(
  { stopped, failed }: BatchSummary,
  signal: NodeJS.Signals | undefined,
  exitZero: boolean,
): number {
  if (stopped !== undefined) {
    if (stopped.type === 'halt' || stopped.type === 'bad-record') return EXIT.halted
    if (stopped.type === 'request' && signal === 'SIGINT') return EXIT.interrupted
    if (stopped.type === 'request' && signal === 'SIGTERM') return EXIT.terminated
    if ('error' in stopped) return exitCodeOfError(stopped.error)
  }
  return failed > 0 && !exitZero ? EXIT.failedRecords : EXIT.ok
}
