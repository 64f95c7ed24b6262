/**
 * Takes posted, unstarted tasks back from workers that do not get on, so that a stalled, dying or merely slow worker
 * keeps only what it is executing. Why no task is lost or started twice: `src/board/README.md`.
 */

import { POSTED } from '../board/claims.js'
import { ticksOf } from '../board/layout.js'
import type { TaskList } from '../engine/task-list.js'
import type { ResolvedOptions } from './options.js'
import type { PoolWorker } from './pool-worker.js'
import type { Router } from './router.js'
import type { Task } from './task.js'

/** A head older than this, or than four times its expected run, makes no progress, ms. Flat between 0.3 and 3. */
const NO_PROGRESS_MS = 1
const NO_PROGRESS_FACTOR = 4
/** An only task that has not even been started after this long waits for a thread that is off the processor, ms. */
const UNSTARTED_MS = 4
/** Unstarted work worth moving to an idle worker, ms: a wake-up can take 0.2. */
const SHARE_MS = 0.5

export class TakeBack {
  readonly #workers: readonly PoolWorker[]
  readonly #router: Router
  readonly #enabled: boolean

  constructor(workers: readonly PoolWorker[], router: Router, options: ResolvedOptions) {
    this.#workers = workers
    this.#router = router
    this.#enabled = options.takeBack && options.mode === 'central'
  }

  /** From every lane whose head makes no progress: all that is not started; the lane is held until it answers. */
  rescue(nowMs: number): void {
    if (!this.#enabled) return
    const nowTicks = ticksOf(nowMs)
    for (const worker of this.#workers) {
      const { lane } = worker
      if (lane === undefined || worker.held || !worker.isReady) continue
      const stuckCpu =
        lane.cpu.size > 1 && this.#isStuck(lane.cpu, lane.row.cpuProgressAgeMs(nowTicks), nowMs - lane.cpuSinceMs)
      const stuckIo =
        lane.io.size > 0 && this.#isStuck(lane.io, lane.row.ioProgressAgeMs(nowTicks), nowMs - lane.ioSinceMs)
      const stuckOne = lane.cpu.size === 1 && this.#isUnstarted(worker) && nowMs - lane.cpuSinceMs > UNSTARTED_MS
      if (stuckCpu || stuckOne || (stuckIo && lane.cpu.size > 0)) this.takeAll(worker)
    }
  }

  /** Takes back all that the worker has not started, and holds it until its next answer. */
  takeAll(worker: PoolWorker): void {
    if (!this.#enabled) return
    const lane = worker.lane!
    this.#router.release(worker)
    const running = lane.runningTask
    const taken = lane.takeBackAll()
    if (taken.length === 0) return
    this.#return(worker, taken)
    worker.heldBy = running?.key ?? -1
  }

  /**
   * When a worker is idle and nothing waits: the newer half of the work of the lane with most. Among lanes with
   * equally much it is the one whose unstarted task is oldest, which keeps the order of the central queue: worst
   * simulated p99 1.106 times the ideal's, against 1.116 when the first slot gives. True if any task moved.
   */
  share(): boolean {
    if (!this.#enabled) return false
    let most: PoolWorker | undefined
    let mostMs = SHARE_MS
    let oldest = Number.POSITIVE_INFINITY
    for (const worker of this.#workers) {
      const { lane } = worker
      if (lane === undefined || lane.cpu.size < 2 || !worker.isReady || worker.held) continue
      const head = lane.cpu.first!
      const unstartedMs = lane.expectedMs - head.expectedMs
      const { sequence } = head.next as Task
      if (unstartedMs > mostMs || (most !== undefined && unstartedMs === mostMs && sequence < oldest)) {
        most = worker
        mostMs = unstartedMs
        oldest = sequence
      }
    }
    if (most === undefined) return false
    const lane = most.lane!
    const keepMs = lane.expectedMs - mostMs / 2
    // A keyed task would only come back to the same lane.
    const enough = () => lane.expectedMs <= keepMs || lane.cpu.last?.options.key !== undefined
    const taken = lane.takeBack(lane.cpu, enough)
    this.#return(most, taken)
    return taken.length > 0
  }

  /** Makes room for a task that found none: an unstarted task of lower priority goes back to the queue. */
  makeRoomFor(task: Task): boolean {
    if (!this.#enabled) return false
    for (const worker of this.#workers) {
      const { lane } = worker
      if (lane === undefined || worker.held || !worker.isReady || worker.reserved !== undefined) continue
      const list = task.kind === 'io' ? lane.io : lane.cpu
      const { last } = list
      if (last === undefined || last.priority >= task.priority || last.staysPut) continue
      lane.flush()
      if (lane.takeBackOne(last)) {
        this.#return(worker, [last])
        return true
      }
    }
    return false
  }

  /** Whether a held worker may get work again, now that it has answered. */
  release(worker: PoolWorker): void {
    const { heldBy, lane } = worker
    if (heldBy === undefined || lane === undefined) return
    // The task that held the turn still does: another task's answer (I/O) changes nothing.
    if (heldBy >= 0 && lane.taskOf(heldBy) !== undefined) return
    worker.heldBy = undefined
  }

  #return(worker: PoolWorker, taken: readonly Task[]): void {
    worker.takenBack += taken.length
    for (const task of taken) this.#router.putBack(task)
  }

  #isStuck(list: TaskList<Task>, progressAgeMs: number, heldMs: number): boolean {
    const ageMs = Math.min(progressAgeMs, heldMs)
    return ageMs > Math.max(NO_PROGRESS_MS, NO_PROGRESS_FACTOR * list.first!.expectedMs)
  }

  #isUnstarted(worker: PoolWorker): boolean {
    const lane = worker.lane!
    return lane.stateOf(lane.cpu.first!) === POSTED
  }
}
