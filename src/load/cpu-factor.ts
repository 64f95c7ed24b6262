import { agedUtilisation } from './report-age.js'
import { clampToUnit } from './unit-interval.js'
import type { WorkerReading } from './worker-reading.js'

/**
 * Utilisation of the worker's event loop, 0..1. Node can report a little below 0 for an idle worker and nothing
 * before its start; both count as 0. A loop that is never idle has 1.
 */
export function cpuFactor(reading: WorkerReading): number {
  return clampToUnit(agedUtilisation(reading))
}
