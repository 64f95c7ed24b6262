/** What a dispatcher looks like at one moment. */

import { POSTED } from '../board/claims.js'
import { ticksBetweenMs, ticksOf } from '../board/layout.js'
import type { Lane } from '../engine/lane.js'
import type { ThreadState } from '../engine/thread-state.js'
import type { Percentiles } from './duration-histogram.js'
import type { Ledger } from './ledger.js'
import type { PoolWorker } from './pool-worker.js'
import type { Router } from './router.js'
import type { Task } from './task.js'
import type { WorkerView } from './worker-view.js'

/** One worker at one moment. */
export interface WorkerSnapshot {
  readonly slot: number
  /** -1 without a thread. */
  readonly threadId: number
  readonly state: ThreadState
  /** Tasks posted and not yet answered. */
  readonly outstanding: number
  /** Queue depth as the worker last reported it, tasks. */
  readonly depth: number
  /** 0..100. */
  readonly load: number
  /** Share of the range table, 0..1. */
  readonly share: number
  /** Effective event-loop lag, ms. */
  readonly lagMs: number
  /** Age of the last sign of life of a worker that holds tasks, ms; 0 of one that holds none. */
  readonly stampAgeMs: number
  /** How long the CPU task that holds the turn has been running, ms; 0 when none does. */
  readonly oldestRunningMs: number
  readonly started: number
  readonly completed: number
  readonly failed: number
  readonly takenBack: number
  readonly stalls: number
  readonly restarts: number
}

/** A dispatcher at one moment. */
export interface DispatcherSnapshot {
  readonly workers: readonly WorkerSnapshot[]
  /** Tasks that wait in the dispatcher. */
  readonly queued: number
  /** How long the task at the head of the queue has waited, ms; 0 when none waits. */
  readonly oldestQueuedMs: number
  /** Tasks that a worker holds. */
  readonly running: number
  readonly completed: number
  readonly failed: number
  /** Calls of `run` that were refused. */
  readonly rejected: number
  /** Answers that came after their task had settled. */
  readonly lateAnswers: number
  /** Submission to start, ms. */
  readonly waitMs: Percentiles
  /** Start to finish, ms. */
  readonly runMs: Percentiles
}

export function snapshotOf(
  workers: readonly PoolWorker[],
  view: WorkerView,
  router: Router,
  ledger: Ledger,
  nowMs: number,
): DispatcherSnapshot {
  const shares = view.shares()
  const rows = workers.map((worker) => workerSnapshot(worker, view.load(worker.slot), shares[worker.slot], nowMs))
  const oldest = [router.cpu.oldest(), router.io.oldest()].filter((task) => task !== undefined)
  const running = workers.reduce((sum, worker) => sum + worker.outstanding, 0)
  return {
    workers: rows,
    queued: ledger.unsettled - running,
    oldestQueuedMs: oldest.reduce((age, task) => Math.max(age, nowMs - task.submittedMs), 0),
    running,
    completed: ledger.completed,
    failed: ledger.failed,
    rejected: ledger.rejected,
    lateAnswers: ledger.lateAnswers,
    waitMs: ledger.waitTimes.percentiles(),
    runMs: ledger.runTimes.percentiles(),
  }
}

function workerSnapshot(worker: PoolWorker, load: number, share: number, nowMs: number): WorkerSnapshot {
  const { lane } = worker
  const nowTicks = ticksOf(nowMs)
  return {
    slot: worker.slot,
    threadId: worker.threadId,
    state: worker.state,
    outstanding: worker.outstanding,
    depth: lane === undefined ? 0 : lane.row.reportedCpu + lane.row.reportedIo,
    load,
    share,
    lagMs: worker.lagMs,
    stampAgeMs: lane === undefined || lane.outstanding === 0 ? 0 : Math.max(0, lane.row.beatAgeMs(nowTicks)),
    oldestRunningMs: lane === undefined ? 0 : oldestRunningMs(lane, nowTicks),
    started: worker.started,
    completed: worker.completed,
    failed: worker.failed,
    takenBack: worker.takenBack,
    stalls: worker.stalls,
    restarts: worker.restarts,
  }
}

/** I/O tasks are posted, and claimed, in order: the first that is unanswered has been running longest. */
function oldestRunningMs(lane: Lane<Task>, nowTicks: number): number {
  let oldestMs = 0
  for (const task of [lane.runningTask, lane.io.first]) {
    if (task === undefined || lane.stateOf(task) === POSTED) continue
    oldestMs = Math.max(oldestMs, ticksBetweenMs(lane.startedAt(task), nowTicks))
  }
  return oldestMs
}
