/** What a run does at the moment, for who asks: how far it is, its workers, and the records longest under way. */

import type { BatchProgress, SlowRecord } from '../batch/batch-progress.js'
import type { DispatcherSnapshot } from '../index.js'
import { plainLine, slowText } from './progress.js'
import { formatCount, formatDuration } from './quantities.js'

export interface RunState {
  readonly progress: BatchProgress
  readonly pool: Pick<DispatcherSnapshot, 'workers' | 'queued'>
  /** Oldest first. */
  readonly slowest: readonly SlowRecord[]
}

/** Lines of text. */
export function runReport({ progress, pool, slowest }: RunState): string {
  const records = slowest.length === 0 ? 'no record is under way' : `longest under way: ${slowText(slowest)}`
  return [plainLine(progress), workerReport(pool), records].join('\n')
}

/** The same as one line of JSON. */
export function runReportJson({ progress, pool: { workers, queued }, slowest }: RunState): string {
  return JSON.stringify({ type: 'report', ...progress, slowest, queued, workers })
}

/** What the workers do at the moment, as a table. */

const HEADINGS = ['worker', 'state', 'share', 'load', 'lag', 'running for', 'holds', 'done', 'failed', 'taken back']

/** One row for each worker, right-aligned; states and shares first. */
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
