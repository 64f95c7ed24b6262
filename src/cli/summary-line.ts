/** The one line that ends every run. */

import type { BatchSummary } from '../batch/batch-progress.js'
import { formatDuration, formatRate } from './quantities.js'

export interface SummaryContext {
  /** Journal of the run, when it has one. */
  readonly journal: string | undefined
  /** The command line that would take the run up. */
  readonly resumeCommand: string
}

/** Nothing is left out that went wrong; what did not happen is not mentioned. */
export function summaryLine(summary: BatchSummary, { journal, resumeCommand }: SummaryContext): string {
  const { ok, failed, skipped, retried, unfinished, resumed, elapsedMs, stopped } = summary
  const rate = ((ok + failed) * 1000) / Math.max(elapsedMs, 1)
  const parts = [`ok=${ok}`, `failed=${failed}`, `skipped=${skipped}`, `retried=${retried}`]
  if (resumed > 0) parts.push(`resumed=${resumed}`)
  if (unfinished > 0) parts.push(`unfinished=${unfinished}`)
  parts.push(`in ${formatDuration(elapsedMs)} (${formatRate(rate)})`)
  if (journal !== undefined) {
    parts.push(`journal=${journal}`)
    if (stopped !== undefined || failed > 0) parts.push(`resume: ${resumeCommand}`)
  }
  return parts.join(' ')
}

/** The arguments of this process as a shell would take them, asking to resume. */
export function resumeCommandLine(argv: readonly string[], which: 'unfinished' | 'failed'): string {
  const kept: string[] = []
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at]!
    if (argument === '--force' || argument === '--resume' || argument.startsWith('--resume=')) {
      if (argument === '--resume' && /^(unfinished|failed|all)$/.test(argv[at + 1] ?? '')) at++
      continue
    }
    kept.push(argument)
  }
  const option = which === 'unfinished' ? '--resume' : `--resume=${which}`
  return ['evenkeel', ...kept, option].map(quoted).join(' ')
}

function quoted(argument: string): string {
  return /^[\w@%+=:,./#-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`
}
