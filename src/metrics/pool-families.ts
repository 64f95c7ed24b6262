/** The metrics of a pool as a whole. */

import type { DispatcherSnapshot, WorkerSnapshot } from '../dispatcher/snapshot.js'
import type { EventTally } from './event-tally.js'
import type { LagFigures } from './loop-lag.js'
import type { FamilyMaker, MetricFamily, Reading } from './metric-family.js'
import type { PoolDurations } from './observed-pool.js'
import type { RecentPercentiles, RecentTimes } from './recent-durations.js'

type WorkerState = WorkerSnapshot['state']

/** Every state has its series at all times, so that none of them comes and goes. */
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

function byState(workers: readonly WorkerSnapshot[]): Reading[] {
  const counts = { ...NO_WORKERS }
  for (const { state } of workers) counts[state]++
  return Object.entries(counts).map(([state, count]) => [{ state }, count])
}

function byQuantile({ p50, p90, p99 }: RecentPercentiles): Reading[] {
  return [
    [{ quantile: '0.5' }, p50 / 1000],
    [{ quantile: '0.9' }, p90 / 1000],
    [{ quantile: '0.99' }, p99 / 1000],
  ]
}

/** Everything that one look at a pool yields. */
export interface PoolFigures {
  readonly snapshot: DispatcherSnapshot
  readonly durations: PoolDurations
  readonly recent: RecentTimes
  readonly tally: EventTally
  readonly mainLag: LagFigures
}

export function poolFamilies(make: FamilyMaker, figures: PoolFigures): MetricFamily[] {
  const { snapshot, tally } = figures
  const { workers, queued, running, completed, failed, rejected } = snapshot
  const submitted = completed + failed + rejected + queued + running
  return [
    make.counter('tasks_submitted_total', 'Tasks handed to the pool, refused ones included.', [submitted]),
    make.counter('tasks_completed_total', 'Tasks that settled, and calls that were refused.', [
      [{ outcome: 'ok' }, completed],
      [{ outcome: 'error' }, failed],
      [{ outcome: 'rejected' }, rejected],
    ]),
    make.counter('late_answers_total', 'Answers that came after their task had settled.', [snapshot.lateAnswers]),
    make.gauge('tasks_queued', 'Tasks that wait in the dispatcher.', [queued]),
    make.gauge('tasks_running', 'Tasks that workers hold.', [running]),
    make.gauge('queue_oldest_age_seconds', 'Age of the task at the head of the queue.', [
      snapshot.oldestQueuedMs / 1000,
    ]),
    make.counter('queue_drains_total', 'Times that a full queue had room again.', [tally.drains]),
    ...durationFamilies(make, figures),
    make.gauge('workers', 'Workers by state.', byState(workers)),
    make.gauge('workers_max', 'The most workers there may be.', [workers.length]),
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

function durationFamilies(make: FamilyMaker, { durations, recent }: PoolFigures): MetricFamily[] {
  return [
    make.histogram('task_wait_seconds', 'Time of tasks from submission to start.', durations.wait),
    make.histogram('task_run_seconds', 'Time of tasks from start to finish.', durations.run),
    make.gauge('task_wait_recent_seconds', 'Percentiles of the wait in the window.', byQuantile(recent.waitMs)),
    make.gauge('task_run_recent_seconds', 'Percentiles of the run time in the window.', byQuantile(recent.runMs)),
  ]
}
