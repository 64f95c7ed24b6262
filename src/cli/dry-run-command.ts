/** `evenkeel map --dry-run`: reports what the run would do. */

import { type DryRunReport, dryRun } from '../batch/dry-run.js'
import { EXIT } from './exit-codes.js'
import type { MapArguments } from './map-arguments.js'
import { runSettings } from './map-settings.js'
import { resolveModule } from './module-reference.js'
import { formatCount } from './quantities.js'

/** Reads the input, prints the report to standard error, and resolves with the exit code. */
export async function runDry(reference: string, given: MapArguments): Promise<number> {
  const module = resolveModule(reference)
  const report = await dryRun(runSettings(given, module))
  process.stderr.write(`${dryRunText(report, given, module.path)}\n`)
  const bad = given.onBadRecord === 'skip' ? report.unreadable : report.bad
  return bad > 0 && given.exitZero !== true ? EXIT.failedRecords : EXIT.ok
}

export function dryRunText(report: DryRunReport, { out, resume, force }: MapArguments, module: string): string {
  const { records, bad, leftOut, first, firstBad, earlier, outputInTheWay } = report
  const lines = [`dry run: ${formatCount(records)} records for ${module}, ${formatCount(bad)} of them bad`]
  if (leftOut > 0) lines.push(`left out: ${formatCount(leftOut)}`)
  for (const text of first) lines.push(`record: ${text}`)
  for (const { input, line, offset, message } of firstBad)
    lines.push(`bad: ${input}, line ${line}, byte ${offset}: ${message}`)
  if (earlier !== undefined) {
    const { ok, failed, outBytes } = earlier
    lines.push(
      `journal: an earlier run wrote ${formatCount(ok)} results (${outBytes} bytes), ${formatCount(failed)} failed`,
    )
  }
  if (resume !== undefined)
    lines.push(earlier === undefined ? 'resume: there is no earlier run' : 'resume: would continue from there')
  else if (outputInTheWay && force !== true)
    lines.push(`output: ${out} is not empty; the run would be refused without --resume or --force`)
  return lines.join('\n')
}
