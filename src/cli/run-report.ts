/** What a run does at the moment, for who asks: how far it is, its workers, and the records longest under way. */

import type { BatchProgress, SlowRecord } from '../batch/options/batch-progress.js'
import type { DispatcherSnapshot } from '../index.js'
import { plainLine, slowText } from './progress/progress-text.js'
import { workerReport } from './worker-report.js'

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
