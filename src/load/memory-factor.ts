import { clampToUnit } from './unit-interval.js'
import type { WorkerReading } from './worker-reading.js'

/** Heap of the worker's isolate in use, as a share of its limit, 0..1. */
export function memoryFactor(reading: WorkerReading): number {
  return reading.heapLimitBytes > 0 ? clampToUnit(reading.heapUsedBytes / reading.heapLimitBytes) : 0
}
