/**
 * Signs of life, looked at by the tick: how late each worker is, and the states that follow. Nothing here waits for
 * a worker: rows are read from shared memory and aged by our own clock.
 */

import { BEAT_PERIOD_MS, ticksBetweenMs, ticksOf } from '../board/layout.js'
import { loopUtilisation } from '../engine/supervisor.js'
import { effectiveLagMs } from '../load/effective-lag.js'
import type { RecoverEvent, StallEvent } from './events.js'
import { livesOf } from './lives.js'
import type { ResolvedOptions } from './options.js'
import type { PoolWorker } from './pool-worker.js'
import { readingMs } from './take-back.js'
import type { Task } from './task.js'

/** Three beats missed: nothing more is sent, and what is unstarted is taken back. */
export const SUSPECT_MS = 60
/** A name that usually takes long may be silent for this many times its 99th percentile before it counts as a stall. */
const STALL_FACTOR = 4
/** Share of its time that a blocked event loop is busy, less some for the readings' own error. */
const BLOCKED_UTILISATION = 0.9
/** A worker that writes a large result gives no sign of life; for so long that is no silence, ms. */
const SENDING_MS = 10_000
/** One look can fall into a hiccup of our own; two in a row cannot. */
const STALL_TICKS = 2

export interface HealthEvents {
  suspected(worker: PoolWorker): void
  stalled(event: StallEvent): void
  recovered(event: RecoverEvent): void
  /** Silent for longer than `stallKillMs`. */
  overdue(worker: PoolWorker): void
}

export class Health {
  readonly #workers: readonly PoolWorker[]
  readonly #options: ResolvedOptions
  readonly #events: HealthEvents

  constructor(workers: readonly PoolWorker[], options: ResolvedOptions, events: HealthEvents) {
    this.#workers = workers
    this.#options = options
    this.#events = events
  }

  /** Whether the soft signals would shut out more than half of the workers. */
  tick(nowMs: number): boolean {
    const nowTicks = ticksOf(nowMs)
    let live = 0
    let soft = 0
    for (const worker of livesOf(this.#workers)) {
      if (worker.lane === undefined || worker.state === 'starting' || worker.state === 'dead') continue
      const silentMs = silenceMs(worker, nowMs, nowTicks)
      const lane = worker.lane
      worker.silentMs = silentMs
      const { reportedLagMs } = lane.row
      worker.lagMs =
        lane.outstanding === 0 ? 0 : effectiveLagMs({ reportedLagMs, stampAgeMs: silentMs, periodMs: BEAT_PERIOD_MS })
      worker.penalised = worker.creditBackMs > nowMs
      worker.readAtMs = nowMs
      if (worker.state !== 'draining') {
        this.#judge(worker, nowMs, silentMs)
        live++
        if (worker.state === 'suspect' || worker.state === 'ejected') soft++
      }
      if (silentMs > this.#options.stallKillMs) this.#events.overdue(worker)
    }
    return soft * 2 > live
  }

  #judge(worker: PoolWorker, nowMs: number, silentMs: number): void {
    const lane = worker.lane!
    const running = lane.runningTask
    const stallMs = Math.max(this.#options.stallMs, STALL_FACTOR * (running?.stats.p99Ms ?? 0))
    worker.stallTicks = worker.lagMs > stallMs ? worker.stallTicks + 1 : 0
    switch (worker.state) {
      case 'busy':
        if (worker.lagMs > SUSPECT_MS) this.#suspect(worker)
        break
      case 'suspect':
        if (worker.stallTicks >= STALL_TICKS && loopIsBlocked(worker)) {
          worker.state = 'stalled'
          worker.stalls++
          worker.stalledSinceMs = nowMs
          this.#events.stalled(stallEvent(worker, running, silentMs, nowMs))
        } else if (worker.lagMs <= SUSPECT_MS) this.#resume(worker, nowMs)
        break
      case 'stalled':
        if (worker.lagMs <= SUSPECT_MS) this.recover(worker, nowMs)
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
}

/**
 * The second opinion: a blocked event loop has no idle time, whether it computes or waits. One that had some since
 * the suspicion turned, so its beats were late for another cause, and it is not stalled.
 */
function loopIsBlocked({ thread, suspectLoop }: PoolWorker): boolean {
  if (thread === undefined || suspectLoop === undefined) return true
  return loopUtilisation(suspectLoop, thread.loopTime()) > BLOCKED_UTILISATION
}

function stallEvent(worker: PoolWorker, running: Task | undefined, silentMs: number, nowMs: number): StallEvent {
  const { slot, threadId, lane } = worker
  const runningMs = running === undefined ? 0 : ticksBetweenMs(lane!.startedAt(running), ticksOf(nowMs))
  return { slot, threadId, task: running?.name, runningMs, silentMs }
}

/** Time since the last sign of life, ms; 0 for a worker that holds nothing and need give none. */
function silenceMs(worker: PoolWorker, nowMs: number, nowTicks: number): number {
  const lane = worker.lane!
  if (lane.outstanding === 0) return 0
  const { row } = lane
  const signMs = Math.min(row.beatAgeMs(nowTicks), row.cpuProgressAgeMs(nowTicks), row.ioProgressAgeMs(nowTicks))
  const heldMs =
    nowMs - Math.min(lane.cpu.size > 0 ? lane.cpuSinceMs : nowMs, lane.io.size > 0 ? lane.ioSinceMs : nowMs)
  const silentMs = Math.max(0, Math.min(signMs, heldMs) - readingMs(lane))
  if (silentMs <= SUSPECT_MS) return silentMs
  // It may have answered, and we were busy: what is in the port is its sign of life.
  lane.readPort()
  return lane.outstanding === 0 || (row.sending && signMs < SENDING_MS) ? 0 : silentMs
}
