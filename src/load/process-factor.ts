import { clampToUnit } from './unit-interval.js'
import type { WorkerReading } from './worker-reading.js'

/** A lane never has less room than this: with one place the load would know only free and full. */
const MIN_CPU_ROOM = 2

/**
 * Depth of the worker's queue, 0..1: what it holds against one more than what it may hold, for CPU or for I/O tasks,
 * whichever is fuller. One more, so that a full lane still has a little width in the range table.
 */
export function processFactor(reading: WorkerReading): number {
  const room = Math.max(reading.cpuRoom, MIN_CPU_ROOM)
  const cpu = reading.cpuOutstanding / (room + 1)
  const io = reading.ioOutstanding / (reading.ioWindow + 1)
  return clampToUnit(Math.max(cpu, io))
}
