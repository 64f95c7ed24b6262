import { agedResponseMs } from './report-age.js'
import { clampToUnit } from './unit-interval.js'
import type { WorkerReading } from './worker-reading.js'

/** Smoothed response time as a share of the target, 0..1. */
export function responseFactor(reading: WorkerReading, targetMs: number): number {
  return clampToUnit(agedResponseMs(reading) / targetMs)
}
