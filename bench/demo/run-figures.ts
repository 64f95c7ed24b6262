/** What a measured run comes to, in a few numbers. */

import { LATE_MS, type MeasuredRun } from './measured-run.js'

export interface RunFigures {
  readonly count: number
  readonly wallMs: number
  readonly filesPerSecond: number
  /** Submission to answer. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly longestMs: number
  /** Tasks that sat at the blocked worker until it was free again. */
  readonly behindBlock: number
}

/** The smallest value that at least this share of the sorted values does not exceed. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}

export function runFigures({ files, block, wallMs }: MeasuredRun): RunFigures {
  const latencies = files.map(({ submittedMs, settledMs }) => settledMs - submittedMs).sort((a, b) => a - b)
  const behind = files.filter(
    ({ slot, submittedMs, startedMs }) =>
      slot === block.slot &&
      submittedMs < block.endedMs &&
      startedMs >= block.endedMs &&
      startedMs - submittedMs > LATE_MS,
  )
  return {
    count: files.length,
    wallMs,
    filesPerSecond: (files.length * 1000) / wallMs,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    longestMs: latencies.at(-1) ?? 0,
    behindBlock: behind.length,
  }
}

const ROWS: readonly (readonly [string, (figures: RunFigures) => string])[] = [
  ['files', ({ count }) => String(count)],
  ['wall time', ({ wallMs }) => `${(wallMs / 1000).toFixed(1)} s`],
  ['files per second', ({ filesPerSecond }) => filesPerSecond.toFixed(0)],
  ['latency, median', ({ p50Ms }) => `${p50Ms.toFixed(1)} ms`],
  ['latency, 99 %', ({ p99Ms }) => `${p99Ms.toFixed(1)} ms`],
  ['latency, longest', ({ longestMs }) => `${longestMs.toFixed(0)} ms`],
  ['waited behind the block', ({ behindBlock }) => String(behindBlock)],
]

/** A table with a column for each run. */
export function figuresTable(runs: readonly { readonly name: string; readonly figures: RunFigures }[]): string {
  const columns = runs.map(({ name, figures }) => [name, ...ROWS.map(([, cell]) => cell(figures))])
  const labels = ['', ...ROWS.map(([label]) => label)]
  const labelWidth = Math.max(...labels.map(({ length }) => length))
  const widths = columns.map((cells) => Math.max(...cells.map(({ length }) => length)))
  return labels
    .map((label, row) => {
      const cells = columns.map((column, at) => column[row]!.padStart(widths[at]!))
      return `  ${label.padEnd(labelWidth)}  ${cells.join('   ')}`
    })
    .join('\n')
}
