/** What a dispatcher looks like at one moment. */

import { DONE, POSTED } from '../board/claims.js'
import type { Lane } from '../engine/lane.js'
import type { ThreadState } from '../engine/thread-state.js'
import type { Crew } from './crew/crew.js'
import type { PoolWorker } from './crew/pool-worker.js'
import type { Delays } from './places/delays.js'
import type { GateKeeper } from './places/gates.js'
import type { Router } from './routing/router.js'
import type { WorkerView } from './routing/worker-view.js'
import type { Ledger } from './settling/ledger.js'
import type { Percentiles } from './tasks/duration-histogram.js'
import type { Task } from './tasks/task.js'
import type { TaskNames } from './tasks/task-stats.js'
import type { Health } from './watch/health.js'

export type { TaskCounts, TaskOutcome } from './tasks/task-stats.js'

/** One worker at one moment. */
export interface WorkerSnapshot {
  readonly slot: number
  /** -1 without a thread. */
  readonly threadId: number
  /** Never `draining`: a draining thread has left its slot, and is in `draining` of the snapshot. */
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
  /** Threads started so far. */
  readonly starts: number
  /** Heap that the thread used when it last reported, bytes. */
  readonly heapUsedBytes: number
  /** How long the thread's event loop has been busy, and idle, since it began to turn, ms; 0 without a thread. */
  readonly loopActiveMs: number
  readonly loopIdleMs: number
}

/** A thread that has left its slot and finishes what it had begun, at one moment. */
export interface DrainingSnapshot {
  /** The slot that it had, which a successor may fill. */
  readonly slot: number
  readonly threadId: number
  /** Tasks that it holds; 0 once it tears down. */
  readonly outstanding: number
  /** How long its longest task has been running, ms. */
  readonly oldestRunningMs: number
  /** Heap that the thread used when it last reported, bytes. */
  readonly heapUsedBytes: number
}

/** Tasks of one priority. */
export interface PriorityCount {
  readonly priority: number
  readonly tasks: number
}

/** A dispatcher at one moment. */
export interface DispatcherSnapshot {
  /** By slot. */
  readonly workers: readonly WorkerSnapshot[]
  /** Threads that were replaced, or are too many, and have not ended yet. */
  readonly draining: readonly DrainingSnapshot[]
  /** How few and how many workers there may be. */
  readonly workersMin: number
  readonly workersMax: number
  /** Name of the strategy that picks workers. */
  readonly strategy: string
  /** Tasks that wait in the dispatcher. */
  readonly queued: number
  /** How many of them wait only for a worker, by priority. Priorities without waiting tasks are left out. */
  readonly queuedByPriority: readonly PriorityCount[]
  /** How many of them wait for a time: of a delayed start, or of the next attempt. */
  readonly delayed: number
  /** How many of them wait at a gate. */
  readonly gated: number
  /** How long the task at the head of the queue has waited, ms; 0 when none waits. */
  readonly oldestQueuedMs: number
  /** How long work has waited because every worker was stalled or none had loaded, ms; else 0. */
  readonly stuckMs: number
  /** Whether one more task of any kind would be accepted: fewer than `maxQueue` wait. */
  readonly hasRoom: boolean
  /** Tasks at the workers: running, or waiting there. */
  readonly posted: number
  /** How many of them are running. */
  readonly running: number
  readonly completed: number
  readonly failed: number
  /** Calls of `run` that were refused. */
  readonly rejected: number
  /** How many of them found the queue full. */
  readonly queueFull: number
  /** Tasks that failed because they waited longer than `queueTimeoutMs`. */
  readonly queueTimeouts: number
  /** Answers that came after their task had settled. */
  readonly lateAnswers: number
  /** Submission to start, ms. */
  readonly waitMs: Percentiles
  /** Start to finish, ms. */
  readonly runMs: Percentiles
}

export interface SnapshotParts {
  readonly crew: Crew
  readonly view: WorkerView
  readonly router: Router
  readonly ledger: Ledger
  readonly health: Health
  readonly delays: Delays
  readonly gates: GateKeeper
  readonly names: TaskNames
}

export function snapshotOf(parts: SnapshotParts, strategy: string, nowMs: number): DispatcherSnapshot {
  const { crew, view, router, ledger, health, delays, gates, names } = parts
  const { workers, range } = crew
  const shares = view.shares()
  const rows = workers.map((worker) => workerSnapshot(worker, view.load(worker.slot), shares[worker.slot], nowMs))
  const oldest = [router.queues.cpu.oldest(), router.queues.io.oldest()].filter((task) => task !== undefined)
  const draining = workers.flatMap(({ predecessors }) => [...predecessors])
  const lives = [...workers, ...draining]
  const posted = lives.reduce((sum, worker) => sum + worker.outstanding, 0)
  const times = names.times()
  return {
    workers: rows,
    draining: draining.map((worker) => drainingSnapshot(worker, nowMs)),
    workersMin: range.min,
    workersMax: range.max,
    strategy,
    queued: ledger.unsettled - posted,
    queuedByPriority: waitingByPriority(router),
    delayed: delays.size,
    gated: gates.size,
    oldestQueuedMs: oldest.reduce((age, task) => Math.max(age, nowMs - task.submittedMs), 0),
    stuckMs: health.stuckMs,
    hasRoom: ledger.hasRoom,
    posted,
    running: lives.reduce((sum, { lane }) => sum + (lane === undefined ? 0 : runningTasks(lane)), 0),
    completed: ledger.completed,
    failed: ledger.failed,
    rejected: ledger.rejected,
    queueFull: ledger.queueFull,
    queueTimeouts: ledger.queueTimeouts,
    lateAnswers: ledger.lateAnswers,
    waitMs: times.wait.percentiles(),
    runMs: times.run.percentiles(),
  }
}

/** In the queues, and reserved for a worker. */
function waitingByPriority({ queues, kept }: Router): PriorityCount[] {
  const counts = new Map<number, number>()
  queues.countInto(counts)
  for (const { priority } of kept.reservations) counts.set(priority, (counts.get(priority) ?? 0) + 1)
  return [...counts].map(([priority, tasks]) => ({ priority, tasks }))
}

function workerSnapshot(worker: PoolWorker, load: number, share: number, nowMs: number): WorkerSnapshot {
  const { lane } = worker
  const loop = worker.thread?.loopTime()
  return {
    slot: worker.slot,
    threadId: worker.threadId,
    state: worker.state,
    outstanding: worker.outstanding,
    depth: lane === undefined ? 0 : lane.row.reportedCpu + lane.row.reportedIo,
    load,
    share,
    lagMs: worker.lagMs,
    stampAgeMs: lane === undefined || lane.outstanding === 0 ? 0 : Math.max(0, lane.row.beatAgeMs(nowMs)),
    oldestRunningMs: lane === undefined ? 0 : oldestRunningMs(lane, nowMs),
    started: worker.started,
    completed: worker.record.completed,
    failed: worker.record.failed,
    takenBack: worker.record.takenBack,
    stalls: worker.record.stalls,
    restarts: worker.record.restarts,
    starts: worker.record.starts,
    heapUsedBytes: lane === undefined ? 0 : lane.row.heapUsedBytes,
    loopActiveMs: loop?.active ?? 0,
    loopIdleMs: loop?.idle ?? 0,
  }
}

function drainingSnapshot({ slot, threadId, outstanding, lane }: PoolWorker, nowMs: number): DrainingSnapshot {
  const runningMs = lane === undefined ? 0 : oldestRunningMs(lane, nowMs)
  return { slot, threadId, outstanding, oldestRunningMs: runningMs, heapUsedBytes: lane?.row.heapUsedBytes ?? 0 }
}

/**
 * The worker claims in order, so what follows an unstarted task is unstarted too: O(tasks begun and not yet answered).
 */
function runningTasks(lane: Lane<Task>): number {
  let running = 0
  for (const list of [lane.cpu, lane.io]) {
    for (const task of list) {
      const state = lane.stateOf(task)
      if (state === POSTED) break
      if (state !== DONE) running++
    }
  }
  return running
}

/** I/O tasks are posted, and claimed, in order: the first that is unanswered has been running longest. */
function oldestRunningMs(lane: Lane<Task>, nowMs: number): number {
  let oldestMs = 0
  for (const task of [lane.runningTask, lane.io.first]) {
    if (task === undefined || lane.stateOf(task) === POSTED) continue
    oldestMs = Math.max(oldestMs, nowMs - lane.startedAt(task))
  }
  return oldestMs
}
