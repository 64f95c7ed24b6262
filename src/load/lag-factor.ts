import { effectiveLagMs } from './effective-lag.js'
import { clampToUnit } from './unit-interval.js'
import type { WorkerReading } from './worker-reading.js'

/** Effective event-loop lag as a share of the lag at which a worker counts as saturated, 0..1. */
export function lagFactor(reading: WorkerReading, fullLagMs: number): number {
  return clampToUnit(effectiveLagMs(reading) / fullLagMs)
}
