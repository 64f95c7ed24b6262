/**
 * The metrics of single workers. The label is the slot: there are never more of them than workers, while thread ids
 * grow with every restart and would make a new series each time.
 */

import type { DispatcherSnapshot, WorkerSnapshot } from '../dispatcher/snapshot.js'
import type { EventTally } from './event-tally.js'
import type { FamilyMaker, MetricFamily, Reading } from './metric-family.js'

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
