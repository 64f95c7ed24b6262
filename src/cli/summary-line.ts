/** The one line that ends every run. */

import type { BatchSummary } from '../batch/options/batch-progress.js'
import { EXIT, exitCodeOfError } from './exit-codes.js'
import { formatDuration, formatRate } from './quantities.js'

export interface SummaryContext {
  /** The run's journal, if it has one. */
  readonly journal: string | undefined
  /** The command line that resumes the run. */
  readonly resumeCommand: string
}

/**
 * The summary mentions everything that went wrong, and nothing that did not happen. The counts include earlier runs;
 * those of this run stand beside them if they differ.
 */
export function summaryLine(summary: BatchSummary, { journal, resumeCommand }: SummaryContext): string {
  const { ok, failed, skipped, retried, unfinished, resumed, thisRun, elapsedMs, stopped } = summary
  const rate = ((thisRun.ok + thisRun.failed) * 1000) / Math.max(elapsedMs, 1)
  const parts = [`ok=${ok}`, `failed=${failed}`, `skipped=${skipped}`, `retried=${retried}`]
  if (ok !== thisRun.ok || failed !== thisRun.failed || skipped !== thisRun.skipped) {
    parts.push(`(this run: ok=${thisRun.ok} failed=${thisRun.failed} skipped=${thisRun.skipped})`)
  }
  if (resumed > 0) parts.push(`resumed=${resumed}`)
  if (unfinished > 0) parts.push(`unfinished=${unfinished}`)
  parts.push(`in ${formatDuration(elapsedMs)} (${formatRate(rate)})`)
  if (journal !== undefined) {
    parts.push(`journal=${journal}`)
    if (canGoOn(stopped) && (stopped !== undefined || failed > 0)) parts.push(`resume: ${resumeCommand}`)
  }
  return parts.join(' ')
}

/** Resuming does not help when the journal does not match the run, or another run uses it. */
function canGoOn(stopped: BatchSummary['stopped']): boolean {
  if (stopped === undefined || !('error' in stopped)) return true
  return exitCodeOfError(stopped.error) !== EXIT.input || stopped.type === 'input'
}

/**
 * This process's command line for a shell, with `--resume`. To resume failed records `--limit` is left out, because
 * some may be beyond it.
 */
export function resumeCommandLine(argv: readonly string[], which: 'unfinished' | 'failed'): string {
  const kept: string[] = []
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at]!
    if (argument === '--force' || argument === '--resume' || argument.startsWith('--resume=')) {
      if (argument === '--resume' && /^(unfinished|failed|all)$/.test(argv[at + 1] ?? '')) at++
      continue
    }
    if (which === 'failed' && (argument === '--limit' || argument.startsWith('--limit='))) {
      if (argument === '--limit') at++
      continue
    }
    kept.push(argument)
  }
  const option = which === 'unfinished' ? '--resume' : `--resume=${which}`
  // After `--` the option would be taken for a name.
  const end = kept.indexOf('--')
  kept.splice(end < 0 ? kept.length : end, 0, option)
  return ['evenkeel', ...kept].map(quoted).join(' ')
}

function quoted(argument: string): string {
  return /^[\w@%+=:,./#-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`
}
