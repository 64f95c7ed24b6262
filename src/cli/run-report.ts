/** The report on a running batch: its progress, its workers as a table, and the records longest under way. */

import type { BatchProgress, SlowRecord } from '../batch/options/batch-progress.js'
import type { DispatcherSnapshot } from '../index.js'
import { plainLine, slowText } from './progress.js'
import { formatCount, formatDuration } from './quantities.js'

export interface RunState {
  readonly progress: BatchProgress
  readonly pool: Pick<DispatcherSnapshot, 'workers' | 'queued'>
  /** Oldest first. */
  readonly slowest: readonly SlowRecord[]
}

/** The report as lines of text. */
export function runReport({ progress, pool, slowest }: RunState): string {
  const records = slowest.length === 0 ? 'no record is under way' : `longest under way: ${slowText(slowest)}`
  return [plainLine(progress), workerReport(pool), records].join('\n')
}

/** The report as one line of JSON. */
export function runReportJson({ progress, pool: { workers, queued }, slowest }: RunState): string {
  return JSON.stringify({ type: 'report', ...progress, slowest, queued, workers })
}

const HEADINGS = ['worker', 'state', 'share', 'load', 'lag', 'running for', 'holds', 'done', 'failed', 'taken back']

/** A table with one row for each worker, right-aligned. */
export function workerReport({ workers, queued }: Pick<DispatcherSnapshot, 'workers' | 'queued'>): string {
  const rows = workers.map((worker) => [
    String(worker.slot),
    worker.state,
    `${Math.round(worker.share * 100)}%`,
    String(Math.round(worker.load)),
    formatDuration(worker.lagMs),
    formatDuration(worker.oldestRunningMs),
    formatCount(worker.outstanding),
    formatCount(worker.completed),
    formatCount(worker.failed),
    formatCount(worker.takenBack),
  ])
  const widths = HEADINGS.map((heading, column) => Math.max(heading.length, ...rows.map((row) => row[column]!.length)))
  const lines = [HEADINGS, ...rows].map((row) => row.map((cell, column) => cell.padStart(widths[column]!)).join('  '))
  return [...lines, `waiting for a worker: ${formatCount(queued)}`].join('\n')
}
