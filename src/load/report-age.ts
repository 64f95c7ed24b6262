/**
 * Correction of measured figures by the age of the report they stand in. A worker that has been silent has been busy
 * with one task all that time; what it measured before does not say so yet.
 */

import { silentMs } from './effective-lag.js'
import type { WorkerReading } from './worker-reading.js'

/** The measuring window moved up to now: its silent part counts as busy, the rest keeps the measured share. */
export function agedUtilisation(reading: WorkerReading): number {
  const windowMs = reading.utilisationWindowMs
  const silent = silentMs(reading)
  if (silent >= windowMs) return silent > 0 ? 1 : reading.utilisation
  return (reading.utilisation * (windowMs - silent) + silent) / windowMs
}

/** The task that runs now has taken at least as long as the worker has been silent. */
export function agedResponseMs(reading: WorkerReading): number {
  return Math.max(reading.responseMs, silentMs(reading))
}
