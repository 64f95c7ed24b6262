/**
 * Signs of life, looked at by the tick: how late each worker is, and the states that follow. Nothing here waits for
 * a worker: rows are read from shared memory and aged by our own clock.
 *
 * Silence is not sickness. It makes a worker `suspect`, which costs it nothing but its unstarted work; `stalled` is
 * one that is silent for longer than its task's name explains.
 */

import type { LinkedList } from '../../base/linked-list.js'
import { POSTED } from '../../board/claims.js'
import { BEAT_PERIOD_MS } from '../../board/layout.js'
import { loopUtilisation } from '../../engine/supervisor.js'
import { effectiveLagMs } from '../../load/factors.js'
import { livesOf, type PoolWorker, SUSPECT_MS } from '../crew/pool-worker.js'
import type { RecoverEvent, StallEvent } from '../options/events.js'
import type { ResolvedOptions } from '../options/options.js'
import { readingMs } from '../routing/take-back.js'
import type { Task } from '../tasks/task.js'
import type { TaskStats } from '../tasks/task-stats.js'
import type { Look } from './tick.js'

/** A worker may be silent for this many times the longest run of its task's name before that counts as a stall. */
const STALL_FACTOR = 4
/** Share of its time that a blocked event loop is busy, less some for the readings' own error. */
const BLOCKED_UTILISATION = 0.9
/** A worker that writes a large result gives no sign of life; for so long that is no silence, ms. */
const SENDING_MS = 10_000
/** One look can fall into a hiccup of our own; two in a row cannot. */
const STALL_TICKS = 2
/** After we were late, workers that were stopped with us may report our lateness as theirs for so long, ms. */
const ECHO_MS = 2 * BEAT_PERIOD_MS

export interface HealthEvents {
  suspected(worker: PoolWorker): void
  stalled(event: StallEvent): void
  recovered(event: RecoverEvent): void
  /** Stalled, and silent for longer than `stallKillMs`. */
  overdue(worker: PoolWorker): void
}

export class Health {
  readonly #workers: readonly PoolWorker[]
  readonly #options: ResolvedOptions
  readonly #events: HealthEvents
  #lastMs = 0
  #lateMs = 0
  #lateAtMs = Number.NEGATIVE_INFINITY
  #isStuck = false
  #stuckMs = 0

  constructor(workers: readonly PoolWorker[], options: ResolvedOptions, events: HealthEvents) {
    this.#workers = workers
    this.#options = options
    this.#events = events
  }

  /** How long work has waited while no worker could take it, all of them stalled or none loaded, ms; as of the last tick. */
  get stuckMs(): number {
    return this.#stuckMs
  }

  /**
   * Whether the soft signals would shut out more than half of the workers.
   * @param workWaits whether a task in the queue waits for nothing but a worker
   */
  tick({ nowMs, lateMs }: Look, workWaits: boolean): boolean {
    const passedMs = nowMs - this.#lastMs
    this.#lastMs = nowMs
    if (lateMs > 0) {
      this.#lateMs = lateMs
      this.#lateAtMs = nowMs
    }
    let live = 0
    let soft = 0
    for (const worker of livesOf(this.#workers)) {
      if (worker.lane === undefined || worker.state === 'starting' || worker.state === 'dead') continue
      this.#measure(worker, nowMs, passedMs, lateMs)
      this.#countStallTicks(worker, nowMs)
      worker.penalised = worker.creditBackMs > nowMs
      worker.readAtMs = nowMs
      if (worker.state !== 'draining') {
        this.#judge(worker, nowMs)
        live++
        if (worker.state === 'suspect' || worker.state === 'ejected') soft++
      }
      if (answerableMs(worker) > this.#options.stallKillMs && isStalled(worker)) this.#events.overdue(worker)
    }
    this.#noteStuck(workWaits, passedMs - lateMs)
    return soft * 2 > live
  }

  /** How silent and how late the worker is, and what of it we have to excuse. */
  #measure(worker: PoolWorker, nowMs: number, passedMs: number, lateMs: number): void {
    const lane = worker.lane!
    const silentMs = silenceMs(worker, nowMs)
    // A sign that came since the last look starts the account anew.
    const excusedBeforeMs = silentMs < passedMs ? 0 : worker.excusedMs
    worker.silentMs = silentMs
    worker.excusedMs = Math.min(silentMs, excusedBeforeMs + lateMs)
    const echoMs = nowMs - this.#lateAtMs < ECHO_MS ? this.#lateMs : 0
    // A beat that came late because the worker was reading what we sent.
    const reportedLagMs = Math.max(0, lane.row.reportedLagMs - echoMs - readingMs(lane))
    const stampAgeMs = answerableMs(worker)
    worker.lagMs = lane.outstanding === 0 ? 0 : effectiveLagMs({ reportedLagMs, stampAgeMs, periodMs: BEAT_PERIOD_MS })
  }

  #countStallTicks(worker: PoolWorker, nowMs: number): void {
    const silentMs = answerableMs(worker)
    const stalls = silentMs > this.#options.stallMs && silentMs > this.#stallLimitMs(worker, nowMs)
    worker.stallTicks = stalls ? worker.stallTicks + 1 : 0
  }

  /** Silence beyond which the worker is stalled, ms: what is usual for whatever may keep its event loop. */
  #stallLimitMs(worker: PoolWorker, nowMs: number): number {
    const lane = worker.lane!
    const running = lane.runningTask
    let limitMs = this.#options.stallMs
    if (running !== undefined) {
      limitMs = Math.max(limitMs, this.#usualMs(running.stats))
      // No sign since it started: the loop has not turned, so nobody else can keep it.
      if (nowMs - lane.startedAt(running) <= lane.row.signAgeMs(nowMs)) return limitMs
    }
    for (const task of lane.io) {
      if (lane.stateOf(task) === POSTED) break
      limitMs = Math.max(limitMs, this.#usualMs(task.stats))
    }
    return limitMs
  }

  #usualMs(stats: TaskStats): number {
    const usualMs = STALL_FACTOR * stats.longestMs
    return stats.isKnown ? usualMs : Math.max(this.#options.stallUnknownMs, usualMs)
  }

  #judge(worker: PoolWorker, nowMs: number): void {
    switch (worker.state) {
      case 'busy':
        if (!worker.loopTurns) this.#suspect(worker)
        break
      case 'suspect':
        if (isStalled(worker)) {
          worker.state = 'stalled'
          worker.record.stalls++
          worker.stalledSinceMs = nowMs
          this.#events.stalled(stallEvent(worker, nowMs))
        } else if (worker.loopTurns) this.#resume(worker, nowMs)
        break
      case 'stalled':
        if (worker.loopTurns) this.recover(worker, nowMs)
        break
      case 'ejected':
        if (nowMs >= worker.ejectedUntilMs) {
          // On probation: one task until the first success.
          worker.windowLimit = 1
          this.#resume(worker, nowMs)
        }
        break
      default:
    }
  }

  /** A worker that answered is alive, whatever the last tick saw. */
  recover(worker: PoolWorker, nowMs: number): void {
    const wasStalled = worker.state === 'stalled'
    if (!wasStalled && worker.state !== 'suspect') return
    worker.stallTicks = 0
    worker.lagMs = 0
    this.#resume(worker, nowMs)
    if (!wasStalled) return
    const { slot, threadId, stalledSinceMs } = worker
    this.#events.recovered({ slot, threadId, stalledMs: nowMs - stalledSinceMs })
  }

  #suspect(worker: PoolWorker): void {
    worker.state = 'suspect'
    worker.suspectLoop = worker.thread?.loopTime()
    this.#events.suspected(worker)
  }

  #resume(worker: PoolWorker, nowMs: number): void {
    const idle = worker.outstanding === 0
    worker.state = idle ? 'idle' : 'busy'
    if (idle) worker.idleSinceMs = nowMs
  }

  /** @param passedMs since the last tick, our own lateness left out */
  #noteStuck(workWaits: boolean, passedMs: number): void {
    const wasStuck = this.#isStuck
    const canWork = this.#workers.some((worker) => worker.isReady && worker.state !== 'stalled')
    this.#isStuck = !canWork && (workWaits || this.#workers.some(holdsUnstarted))
    this.#stuckMs = this.#isStuck && wasStuck ? this.#stuckMs + passedMs : 0
  }
}

/** Silence that the worker has to answer for, ms. Whatever else excuses a worker is to be taken off here. */
function answerableMs({ silentMs, excusedMs }: PoolWorker): number {
  return silentMs - excusedMs
}

function isStalled(worker: PoolWorker): boolean {
  return worker.stallTicks >= STALL_TICKS && loopIsBlocked(worker)
}

/**
 * The second opinion: a blocked event loop has no idle time, whether it computes or waits. One that had some since
 * the suspicion turned, so its beats were late for another cause, and it is not stalled.
 */
function loopIsBlocked({ thread, suspectLoop }: PoolWorker): boolean {
  if (thread === undefined || suspectLoop === undefined) return true
  return loopUtilisation(suspectLoop, thread.loopTime()) > BLOCKED_UTILISATION
}

function stallEvent(worker: PoolWorker, nowMs: number): StallEvent {
  const { slot, threadId, silentMs } = worker
  const lane = worker.lane!
  const running = lane.runningTask
  const runningMs = running === undefined ? 0 : nowMs - lane.startedAt(running)
  return { slot, threadId, task: running?.name, runningMs, silentMs }
}

/** Time without a sign of life, ms; 0 for a worker that holds nothing and need give none. */
function silenceMs(worker: PoolWorker, nowMs: number): number {
  const lane = worker.lane!
  if (lane.outstanding === 0) return 0
  const { row } = lane
  const heldMs =
    nowMs - Math.min(lane.cpu.size > 0 ? lane.cpuSinceMs : nowMs, lane.io.size > 0 ? lane.ioSinceMs : nowMs)
  const signMs = row.signAgeMs(nowMs)
  const silentMs = Math.max(0, Math.min(signMs, heldMs) - readingMs(lane))
  if (silentMs <= SUSPECT_MS) return silentMs
  // It may have answered, and we were busy: what is in the port is its sign of life.
  lane.readAnswers()
  return lane.outstanding === 0 || (row.sending && signMs < SENDING_MS) ? 0 : silentMs
}

/** Whether a task waits at this worker, which has not started it. */
function holdsUnstarted({ lane, reserved, backlog }: PoolWorker): boolean {
  if (reserved !== undefined || backlog.size > 0) return true
  if (lane === undefined) return false
  const isUnstarted = ({ last }: LinkedList<Task>) => last !== undefined && lane.stateOf(last) === POSTED
  return isUnstarted(lane.cpu) || isUnstarted(lane.io)
}
