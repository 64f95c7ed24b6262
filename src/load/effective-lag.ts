import type { WorkerReading } from './worker-reading.js'

type Silence = Pick<WorkerReading, 'stampAgeMs' | 'periodMs'>

/**
 * How long the worker has been silent beyond its beat period, ms. A busy worker stamps or beats at least once a
 * period, so it has done nothing but its present task for this long.
 */
export function silentMs(reading: Silence): number {
  const overdueMs = reading.stampAgeMs - reading.periodMs
  return Math.max(overdueMs, 0)
}

/**
 * Event-loop lag that cannot go stale, ms: what the worker reported, or how long it has been silent where that is
 * more. So a stalled worker's lag rises although it reports nothing.
 */
export function effectiveLagMs(reading: Silence & Pick<WorkerReading, 'reportedLagMs'>): number {
  const silent = silentMs(reading)
  return Math.max(silent, reading.reportedLagMs)
}
