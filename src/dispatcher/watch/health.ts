/**
 * The health of workers, checked at each tick: how long each has been silent, and its state. Nothing here waits for a
 * worker: its row is in shared memory, and ages are measured by the dispatcher's clock.
 *
 * A silent worker is only `suspect`: it loses its unstarted tasks, nothing else. It is `stalled` when it is silent
 * for longer than its task's name explains.
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

/** A worker may be silent for this many times the longest run of its task's name. Longer is a stall. */
const STALL_FACTOR = 4
/** A blocked event loop is busy for more than this share of its time. (Not 1, because of measurement error.) */
const BLOCKED_UTILISATION = 0.9
/** A worker that writes a large result gives no sign of life. Up to this long that does not count as silence, ms. */
const SENDING_MS = 10_000
/** Ticks in a row that must see the silence: one may fall into a short delay of this side. */
const STALL_TICKS = 2
/** After this side was late, workers that were stopped with it may report the same lateness for this long, ms. */
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

  /** How long work has waited because every worker was stalled or none had loaded, as of the last tick, ms. */
  get stuckMs(): number {
    return this.#stuckMs
  }

  /**
   * True when suspicion and ejection would exclude more than half of the workers.
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

  /** Measures silence and lag of the worker, and the part of it for which this side is to blame. */
  #measure(worker: PoolWorker, nowMs: number, passedMs: number, lateMs: number): void {
    const lane = worker.lane!
    const silentMs = silenceMs(worker, nowMs)
    // A sign of life since the last tick ends what was excused before.
    const excusedBeforeMs = silentMs < passedMs ? 0 : worker.excusedMs
    worker.silentMs = silentMs
    worker.excusedMs = Math.min(silentMs, excusedBeforeMs + lateMs)
    const echoMs = nowMs - this.#lateAtMs < ECHO_MS ? this.#lateMs : 0
    // Without the time for reading messages, which delays a beat.
    const reportedLagMs = Math.max(0, lane.row.reportedLagMs - echoMs - readingMs(lane))
    const stampAgeMs = answerableMs(worker)
    worker.lagMs = lane.outstanding === 0 ? 0 : effectiveLagMs({ reportedLagMs, stampAgeMs, periodMs: BEAT_PERIOD_MS })
  }

  #countStallTicks(worker: PoolWorker, nowMs: number): void {
    const silentMs = answerableMs(worker)
    const stalls = silentMs > this.#options.stallMs && silentMs > this.#stallLimitMs(worker, nowMs)
    worker.stallTicks = stalls ? worker.stallTicks + 1 : 0
  }

  /** Longest silence that is no stall, ms: what is usual for the tasks that may keep its event loop. */
  #stallLimitMs(worker: PoolWorker, nowMs: number): number {
    const lane = worker.lane!
    const running = lane.runningTask
    let limitMs = this.#options.stallMs
    if (running !== undefined) {
      limitMs = Math.max(limitMs, this.#usualMs(running.stats))
      // No sign of life since this task started: the loop has not turned, so no other task can keep it.
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
          // On probation: one task at a time until the first success.
          worker.windowLimit = 1
          this.#resume(worker, nowMs)
        }
        break
      default:
    }
  }

  /** A worker that answered is healthy, whatever the last tick saw. */
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

  /** @param passedMs time since the last tick, without this side's lateness */
  #noteStuck(workWaits: boolean, passedMs: number): void {
    const wasStuck = this.#isStuck
    const canWork = this.#workers.some((worker) => worker.isReady && worker.state !== 'stalled')
    this.#isStuck = !canWork && (workWaits || this.#workers.some(holdsUnstarted))
    this.#stuckMs = this.#isStuck && wasStuck ? this.#stuckMs + passedMs : 0
  }
}

/** Silence without the part for which this side is to blame, ms. */
function answerableMs({ silentMs, excusedMs }: PoolWorker): number {
  return silentMs - excusedMs
}

function isStalled(worker: PoolWorker): boolean {
  return worker.stallTicks >= STALL_TICKS && loopIsBlocked(worker)
}

/**
 * A second check: a blocked event loop has no idle time, whether it computes or waits. If the loop had idle time
 * since the suspicion, it turned. Then its beats were late for another reason, and it is not stalled.
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

/** Time without a sign of life, ms; 0 for a worker without tasks, which gives none. */
function silenceMs(worker: PoolWorker, nowMs: number): number {
  const lane = worker.lane!
  if (lane.outstanding === 0) return 0
  const { row } = lane
  const heldMs =
    nowMs - Math.min(lane.cpu.size > 0 ? lane.cpuSinceMs : nowMs, lane.io.size > 0 ? lane.ioSinceMs : nowMs)
  const signMs = row.signAgeMs(nowMs)
  const silentMs = Math.max(0, Math.min(signMs, heldMs) - readingMs(lane))
  if (silentMs <= SUSPECT_MS) return silentMs
  // It may have answered while this side was busy: an answer in the port is a sign of life.
  lane.readAnswers()
  return lane.outstanding === 0 || (row.sending && signMs < SENDING_MS) ? 0 : silentMs
}

/** Whether an unstarted task waits at this worker. */
function holdsUnstarted({ lane, reserved, backlog }: PoolWorker): boolean {
  if (reserved !== undefined || backlog.size > 0) return true
  if (lane === undefined) return false
  const isUnstarted = ({ last }: LinkedList<Task>) => last !== undefined && lane.stateOf(last) === POSTED
  return isUnstarted(lane.cpu) || isUnstarted(lane.io)
}
