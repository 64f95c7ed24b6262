/**
 * The metrics of each worker. The label is the slot: a worker keeps its slot over restarts, whereas each restart has a
 * new thread id, which would be a new series.
 */

import type { DispatcherSnapshot, WorkerSnapshot } from '../dispatcher/snapshot.js'
import type { EventTally } from './event-tally.js'
import type { FamilyMaker, MetricFamily, Reading } from './exposition.js'

export function workerFamilies(
  make: FamilyMaker,
  { workers, strategy }: DispatcherSnapshot,
  tally: EventTally,
  /** Share of its time that the worker's event loop is busy, 0..1. */
  loopShare: (worker: WorkerSnapshot) => number,
): MetricFamily[] {
  const each = (value: (worker: WorkerSnapshot) => number): Reading[] =>
    workers.map((worker) => [{ worker: String(worker.slot) }, value(worker)])
  return [
    make.gauge(
      'worker_inflight',
      'Tasks posted to the worker and unanswered.',
      each(({ outstanding }) => outstanding),
    ),
    make.gauge(
      'worker_queue_depth',
      'Queue depth as the worker last reported it.',
      each(({ depth }) => depth),
    ),
    make.gauge(
      'worker_load',
      'Load of the worker, 0 to 100.',
      each(({ load }) => load),
    ),
    make.gauge(
      'worker_weight_ratio',
      'Share of the range table that the worker owns.',
      each(({ share }) => share),
    ),
    make.gauge(
      'worker_eventloop_lag_seconds',
      'Lateness of the event loop of the worker; rises while it is blocked.',
      workers.map(({ slot, lagMs }) => [{ worker: String(slot), stat: 'last' }, lagMs / 1000]),
    ),
    make.gauge(
      'worker_eventloop_utilization_ratio',
      'Share of the window that its event loop was busy.',
      each(loopShare),
    ),
    make.gauge(
      'worker_heap_used_bytes',
      'Heap that the worker used when it last reported.',
      each(({ heapUsedBytes }) => heapUsedBytes),
    ),
    make.gauge(
      'worker_heartbeat_age_seconds',
      'Age of the last sign of life of a worker that holds tasks.',
      each(({ stampAgeMs }) => stampAgeMs / 1000),
    ),
    make.gauge(
      'worker_oldest_task_seconds',
      'How long the longest task of the worker has been running.',
      each(({ oldestRunningMs }) => oldestRunningMs / 1000),
    ),
    make.counter(
      'dispatch_total',
      'Tasks that the worker started.',
      workers.map(({ slot, started }) => [{ worker: String(slot), strategy }, started]),
    ),
    make.counter(
      'worker_taken_back_total',
      'Tasks taken back from the worker.',
      each(({ takenBack }) => takenBack),
    ),
    make.counter(
      'worker_stalls_total',
      'Stalls of the worker.',
      each(({ stalls }) => stalls),
    ),
    make.counter(
      'worker_stall_seconds_total',
      'How long the worker has been stalled altogether.',
      each(({ slot }) => tally.stalledMs(slot) / 1000),
    ),
    make.counter(
      'worker_restarts_total',
      'Times the thread was started again.',
      each(({ restarts }) => restarts),
    ),
  ]
}

/** The most readings kept per window. */
const READINGS = 8

interface LoopReading {
  readonly atMs: number
  readonly threadId: number
  readonly activeMs: number
  readonly idleMs: number
}

/**
 * How busy the event loops of the workers are, from Node's figures of each thread. Keeps each worker's reading from
 * about one window ago. Readings are taken on request, at least an eighth of a window apart, so any number of scrapers
 * see the same window. The first request sees the whole life of the thread.
 */
export class LoopShares {
  readonly #windowMs: number
  /** By slot, oldest first. The window begins at the oldest. */
  readonly #readings = new Map<number, LoopReading[]>()

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Share of the window that the worker's event loop was busy, 0..1; 0 without a thread. O(1). */
  of({ slot, threadId, loopActiveMs, loopIdleMs }: WorkerSnapshot, nowMs: number): number {
    const now: LoopReading = { atMs: nowMs, threadId, activeMs: loopActiveMs, idleMs: loopIdleMs }
    let readings = this.#readings.get(slot)
    if (readings === undefined || readings[0]!.threadId !== threadId) {
      // Node counts from 0 in each thread.
      readings = [{ atMs: nowMs, threadId, activeMs: 0, idleMs: 0 }]
      this.#readings.set(slot, readings)
    }
    while (readings.length > 1 && nowMs - readings[1]!.atMs >= this.#windowMs) readings.shift()
    const share = shareBetween(readings[0]!, now)
    if (nowMs - readings.at(-1)!.atMs >= this.#windowMs / READINGS) readings.push(now)
    return share
  }
}

/** The differences can be negative for an idle thread (nodejs/node#40525). */
function shareBetween(from: LoopReading, to: LoopReading): number {
  const activeMs = to.activeMs - from.activeMs
  const totalMs = activeMs + to.idleMs - from.idleMs
  return totalMs > 0 ? Math.min(1, Math.max(0, activeMs / totalMs)) : 0
}
