import { clampToUnit } from './unit-interval.js'
import type { WorkerReading } from './worker-reading.js'

/** I/O tasks in flight as a share of the I/O window, 0..1. */
export function ioFactor(reading: WorkerReading): number {
  return reading.ioWindow > 0 ? clampToUnit(reading.ioOutstanding / reading.ioWindow) : 0
}
