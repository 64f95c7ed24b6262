/** The metrics of the pool as a whole, and the versions it runs on. */

import { VERSION } from '../base/version.js'
import type { DispatcherSnapshot, WorkerSnapshot } from '../dispatcher/snapshot.js'
import type { EventTally } from './event-tally.js'
import type { BoundedLabels, FamilyMaker, MetricFamily, Reading } from './exposition.js'
import type { LagFigures } from './loop-lag.js'
import type { PoolDurations } from './observed-pool.js'
import type { RecentPercentiles, RecentTimes } from './recent-durations.js'

type WorkerState = WorkerSnapshot['state']

/** Every state has its series at all times, so that no series comes and goes. */
const NO_WORKERS: Readonly<Record<WorkerState, number>> = {
  starting: 0,
  idle: 0,
  busy: 0,
  suspect: 0,
  stalled: 0,
  ejected: 0,
  draining: 0,
  dead: 0,
}

function byState({ workers, draining }: DispatcherSnapshot): Reading[] {
  // Draining workers have left their slot; `workers` shows their successors.
  const counts = { ...NO_WORKERS, draining: draining.length }
  for (const { state } of workers) counts[state]++
  return Object.entries(counts).map(([state, count]) => [{ state }, count])
}

/** A priority that was used once keeps its series, at 0. */
function byPriority(queued: DispatcherSnapshot['queuedByPriority'], labels: BoundedLabels): Reading[] {
  const counts = new Map<string, number>()
  for (const { priority, tasks } of queued) {
    const label = labels.of(String(priority))
    counts.set(label, (counts.get(label) ?? 0) + tasks)
  }
  for (const label of labels.known) if (!counts.has(label)) counts.set(label, 0)
  return [...counts].map(([priority, count]) => [{ priority }, count])
}

function byQuantile({ p50, p90, p99 }: RecentPercentiles): Reading[] {
  return [
    [{ quantile: '0.5' }, p50 / 1000],
    [{ quantile: '0.9' }, p90 / 1000],
    [{ quantile: '0.99' }, p99 / 1000],
  ]
}

/** All that is read from a pool at one moment. */
export interface PoolFigures {
  readonly snapshot: DispatcherSnapshot
  readonly durations: PoolDurations
  readonly recent: RecentTimes
  readonly tally: EventTally
  readonly mainLag: LagFigures
  /** Priorities with a series of their own. */
  readonly priorities: BoundedLabels
}

export function poolFamilies(make: FamilyMaker, figures: PoolFigures): MetricFamily[] {
  const { snapshot, tally, recent } = figures
  const { workers } = snapshot
  return [
    make.counter('late_answers_total', 'Answers that came after their task had settled.', [snapshot.lateAnswers]),
    make.counter('backpressure_rejections_total', 'Tasks refused, or given up, because too many waited.', [
      [{ reason: 'queue_full' }, snapshot.queueFull],
      [{ reason: 'queue_timeout' }, snapshot.queueTimeouts],
    ]),
    make.gauge(
      'tasks_queued',
      'Tasks that wait for a worker, by priority.',
      byPriority(snapshot.queuedByPriority, figures.priorities),
    ),
    make.gauge('tasks_delayed', 'Tasks whose start or next attempt was put off.', [snapshot.delayed]),
    make.gauge('tasks_gated', 'Tasks that wait at a gate.', [snapshot.gated]),
    make.gauge('tasks_posted', 'Tasks that workers hold, begun or not.', [snapshot.posted]),
    make.gauge('tasks_running', 'Tasks that workers have begun and not ended.', [snapshot.running]),
    make.gauge('queue_oldest_age_seconds', 'Age of the task at the head of the queue.', [
      snapshot.oldestQueuedMs / 1000,
    ]),
    make.counter('queue_drains_total', 'Times that a full queue had room again.', [tally.drains]),
    make.gauge('task_wait_recent_seconds', 'Percentiles of the wait in the window.', byQuantile(recent.waitMs)),
    make.gauge('task_run_recent_seconds', 'Percentiles of the run time in the window.', byQuantile(recent.runMs)),
    make.gauge('workers', 'Workers by state.', byState(snapshot)),
    make.gauge('workers_max', 'The most workers there may be.', [snapshot.workersMax]),
    make.gauge('workers_min', 'The workers that are kept when there is nothing to do.', [snapshot.workersMin]),
    make.counter('worker_starts_total', 'Threads that were started.', [
      workers.reduce((sum, { starts }) => sum + starts, 0),
    ]),
    make.histogram('worker_start_seconds', 'Time of threads from their start until they took tasks.', [
      [{}, figures.durations.start],
    ]),
    make.counter('worker_exits_total', 'Threads that ended, by reason.', [
      ...Object.entries(tally.exits).map(([reason, count]): Reading => [{ reason }, count]),
    ]),
    make.counter('pressure_total', 'Times that all workers were overloaded, or underloaded, for a while.', [
      [{ direction: 'over' }, tally.overloads],
      [{ direction: 'under' }, tally.underloads],
    ]),
    make.gauge('main_eventloop_lag_seconds', 'Lateness of the event loop of the thread that dispatches.', [
      [{ stat: 'mean' }, figures.mainLag.mean / 1000],
      [{ stat: 'p99' }, figures.mainLag.p99 / 1000],
      [{ stat: 'max' }, figures.mainLag.max / 1000],
    ]),
  ]
}

/** Versions, so that figures before and after an update can be told apart. */
export function buildInfo(make: FamilyMaker): MetricFamily {
  return make.gauge('build_info', 'Versions of evenkeel and Node.', [
    [{ version: VERSION, node: process.versions.node }, 1],
  ])
}
