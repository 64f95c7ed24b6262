/** What the workers do at the moment, as a table. */

import type { DispatcherSnapshot } from '../index.js'
import { formatCount, formatDuration } from './quantities.js'

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
