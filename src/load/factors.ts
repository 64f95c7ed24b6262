/** The factors of a worker's load, each 0..1, and the load 0..100 that they make together. */

import type { WorkerReading } from './worker-reading.js'

/**
 * The order of the factors in every array. The first five are those of dynamic feedback load balancing (Linux Virtual
 * Server), read for a thread. Event-loop lag is ours.
 */
export const FACTOR_NAMES = ['cpu', 'memory', 'io', 'process', 'response', 'lag'] as const

/** One of the factors. */
export type FactorName = (typeof FACTOR_NAMES)[number]

export const CPU = 0
export const MEMORY = 1
export const IO = 2
export const PROCESS = 3
export const RESPONSE = 4
export const LAG = 5

/** The value clamped to 0..1. NaN counts as 0. */
function clampToUnit(value: number): number {
  if (!(value > 0)) return 0
  return Math.min(value, 1)
}

type Silence = Pick<WorkerReading, 'stampAgeMs' | 'periodMs'>

/**
 * How long the worker has been silent beyond its beat period, ms. A busy worker stamps or beats at least once a
 * period, so for this long it has worked on one task alone.
 */
export function silentMs(reading: Silence): number {
  const overdueMs = reading.stampAgeMs - reading.periodMs
  return Math.max(overdueMs, 0)
}

/**
 * Event-loop lag that cannot go stale, ms: the reported lag or the worker's silence, whichever is more. The lag of a
 * stalled worker rises although it reports nothing.
 */
export function effectiveLagMs(reading: Silence & Pick<WorkerReading, 'reportedLagMs'>): number {
  const silent = silentMs(reading)
  return Math.max(silent, reading.reportedLagMs)
}

/** Utilisation with the measuring window moved up to now: its silent part counts as busy. */
function agedUtilisation(reading: WorkerReading): number {
  const windowMs = reading.utilisationWindowMs
  const silent = silentMs(reading)
  if (silent >= windowMs) return silent > 0 ? 1 : reading.utilisation
  return (reading.utilisation * (windowMs - silent) + silent) / windowMs
}

/** Response time. The running task has taken at least as long as the worker has been silent. */
function agedResponseMs(reading: WorkerReading): number {
  return Math.max(reading.responseMs, silentMs(reading))
}

/**
 * Utilisation of the worker's event loop, 0..1. For an idle worker Node can report a little below 0, and before its
 * start nothing; both count as 0.
 */
export function cpuFactor(reading: WorkerReading): number {
  return clampToUnit(agedUtilisation(reading))
}

/** Used heap of the worker's isolate as a share of its limit, 0..1. */
export function memoryFactor(reading: WorkerReading): number {
  return reading.heapLimitBytes > 0 ? clampToUnit(reading.heapUsedBytes / reading.heapLimitBytes) : 0
}

/** I/O tasks in flight as a share of the I/O window, 0..1. */
export function ioFactor(reading: WorkerReading): number {
  return reading.ioWindow > 0 ? clampToUnit(reading.ioOutstanding / reading.ioWindow) : 0
}

/** The least room of a lane. With room for one task its load could only be free or full. */
const MIN_CPU_ROOM = 2

/**
 * Depth of the worker's queue, 0..1: the fuller of its CPU and its I/O share. A share is tasks held / (tasks allowed +
 * 1). The 1 leaves a full lane a little width in the range table.
 */
export function processFactor(reading: WorkerReading): number {
  const room = Math.max(reading.cpuRoom, MIN_CPU_ROOM)
  const cpu = reading.cpuOutstanding / (room + 1)
  const io = reading.ioOutstanding / (reading.ioWindow + 1)
  return clampToUnit(Math.max(cpu, io))
}

/** Smoothed response time as a share of the target, 0..1. */
export function responseFactor(reading: WorkerReading, targetMs: number): number {
  return clampToUnit(agedResponseMs(reading) / targetMs)
}

/** Effective event-loop lag as a share of the lag that saturates a worker, 0..1. */
export function lagFactor(reading: WorkerReading, fullLagMs: number): number {
  return clampToUnit(effectiveLagMs(reading) / fullLagMs)
}

/**
 * The default load: the fuller of queue depth and event-loop lag. Either alone can saturate a worker. In a sum an
 * empty queue would hide a stalled loop.
 */
export function defaultLoad(process: number, lag: number): number {
  return 100 * Math.max(process, lag)
}

/**
 * 100 * sum of coefficient * factor; the coefficients sum to 1. A factor at its ceiling makes the load 100, however
 * small its coefficient: a worker without heap is full although its queue is empty. A factor with coefficient 0 is
 * ignored, except lag: no weighting hides a stalled worker.
 */
export function weightedLoad(
  factors: ArrayLike<number>,
  coefficients: ArrayLike<number>,
  ceilings: ArrayLike<number>,
): number {
  let sum = 0
  for (let index = 0; index < FACTOR_NAMES.length; index++) {
    const coefficient = coefficients[index]!
    const factor = factors[index]!
    if (factor >= ceilings[index]! && (coefficient > 0 || index === LAG)) return 100
    sum += coefficient * factor
  }
  return Math.min(100, 100 * sum)
}
