/**
 * Takes posted, unstarted tasks back from workers without progress. So a stalled, dying or slow worker keeps only the
 * task that it runs. No task is lost or started twice, because taking back and starting swap the same claim word
 * (`src/board/README.md`). Each task is posted a few times only ("How often a task is posted" there).
 */

import type { Clock } from '../../base/clock.js'
import type { LinkedList } from '../../base/linked-list.js'
import { DONE, POSTED } from '../../board/claims.js'
import type { Lane } from '../../engine/lane.js'
import type { PoolWorker } from '../crew/pool-worker.js'
import type { ResolvedOptions } from '../options/options.js'
import { isCostly, type Task } from '../tasks/task.js'

/**
 * A lane is stuck when no task has started or ended for longer than this, and for four times the expected run, ms.
 * Values from 0.3 to 3 gave equal results.
 */
const NO_PROGRESS_MS = 1
const NO_PROGRESS_FACTOR = 4
/** If a lane's only task has not started after this time, its thread is not scheduled, ms. */
const UNSTARTED_MS = 4
/**
 * A worker shows no progress while it reads a message. Reading takes about as long as posting took here. So every
 * patience is extended by this many posting times. With five, ten shapes of slow payloads went from "never done" to
 * 0.8 to 1.1 times their duration without take-back.
 */
const READING_FACTOR = 5
/**
 * Usually a thread is scheduled again within this time, ms. Tasks that are costly to send wait for that. Without it,
 * 200 texts of 1 MB took twice the processor time on a busy machine.
 */
const COSTLY_MS = 20
/** A task that was taken back this often stays, unless its worker runs another task. */
const MAX_TAKE_BACKS = 3
/** Least unstarted work that is moved to an idle worker, ms: a wake-up can take 0.2. */
const SHARE_MS = 0.5

/** How long a worker may take to read the messages that it holds, ms. Silence within this time means nothing. */
export function readingMs(lane: Lane<Task>): number {
  return (READING_FACTOR * lane.postingUs) / 1000
}

/** The part that gives tasks to workers, and takes them again. */
export interface Giver {
  /** What was meant for this worker and is not posted yet waits for any. */
  release(worker: PoolWorker): void
  putBack(task: Task): void
}

export class TakeBack {
  readonly #workers: readonly PoolWorker[]
  readonly #router: Giver
  readonly #clock: Clock
  readonly #enabled: boolean

  constructor(workers: readonly PoolWorker[], router: Giver, options: ResolvedOptions, clock: Clock) {
    this.#workers = workers
    this.#router = router
    this.#clock = clock
    this.#enabled = options.takeBack && options.mode === 'central'
  }

  /** Takes unstarted tasks back from lanes without progress. Such a worker gets no task until it answers. */
  rescue(nowMs: number): void {
    if (!this.#enabled) return
    for (const worker of this.#workers) {
      const { lane } = worker
      if (lane === undefined || worker.held || !worker.isReady) continue
      const cpuMs = Math.min(lane.row.cpuProgressAgeMs(nowMs), nowMs - lane.cpuSinceMs)
      const ioMs = Math.min(lane.row.ioProgressAgeMs(nowMs), nowMs - lane.ioSinceMs)
      if (lane.cpu.size > 0 && isStuck(lane, lane.cpu, cpuMs)) this.#take(worker, cpuMs)
      else if (lane.io.size > 0 && lane.cpu.size > 0 && isStuck(lane, lane.io, ioMs)) this.#take(worker, ioMs)
    }
  }

  /**
   * Takes back the unstarted tasks of a silent worker, which gets no task until its next answer. `lost`: the worker
   * is blocked or ejected, so it keeps not even the tasks that were taken back too often.
   */
  takeAll(worker: PoolWorker, isLost: boolean): void {
    if (this.#enabled) this.#take(worker, Number.POSITIVE_INFINITY, isLost)
  }

  /**
   * For an idle worker when no task waits: moves the newer half of the unstarted work of the fullest lane. Among
   * equally full lanes, the one with the oldest unstarted task gives, as in the central queue. Worst simulated p99:
   * 1.106 times the ideal's, against 1.116 when the first slot gives. True if any task moved.
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
        // Tasks that are costly to send move only when their worker makes no progress.
        if (isCostly(lane.cpu.last!) || this.#mayRead(lane)) continue
        most = worker
        mostMs = unstartedMs
        oldest = sequence
      }
    }
    if (most === undefined) return false
    const lane = most.lane!
    const keepMs = lane.expectedMs - mostMs / 2
    // A keyed task would come back to the same lane.
    const enough = () => lane.expectedMs <= keepMs || lane.cpu.last?.options.key !== undefined
    const taken = lane.takeBack(lane.cpu, enough, (task) => task.takenBack < MAX_TAKE_BACKS)
    this.#return(most, taken)
    return taken.length > 0
  }

  /** Makes room for a task: an unstarted task of lower priority goes back to the queue. */
  makeRoomFor(task: Task): boolean {
    if (!this.#enabled) return false
    for (const worker of this.#workers) {
      const { lane } = worker
      if (lane === undefined || worker.held || !worker.isReady || worker.reserved !== undefined) continue
      const list = task.kind === 'io' ? lane.io : lane.cpu
      const { last } = list
      if (last === undefined || last.priority >= task.priority || last.staysPut) continue
      // A task that is costly to send makes way once at most.
      if (last.takenBack > 0 && isCostly(last)) continue
      lane.flush()
      if (lane.takeBackOne(last)) {
        this.#return(worker, [last])
        return true
      }
    }
    return false
  }

  /** The held worker has answered: it gets tasks again, unless the task that blocked it still runs. */
  release(worker: PoolWorker): void {
    const { heldBy, lane } = worker
    if (heldBy === undefined || lane === undefined) return
    // The blocking task still runs: the answer was another (I/O) task's.
    if (heldBy >= 0 && lane.taskOf(heldBy) !== undefined) return
    worker.heldBy = undefined
  }

  /** Patience doubles each time that this task is taken back. */
  #take(worker: PoolWorker, ageMs: number, isLost = false): void {
    const lane = worker.lane!
    this.#router.release(worker)
    const running = lane.runningTask
    const mayMove = isLost || running !== undefined
    const isKept = (task: Task) => task.takenBack >= MAX_TAKE_BACKS && !mayMove
    const taken = [lane.cpu, lane.io].flatMap((list) => this.#takeDue(lane, list, ageMs, isKept))
    if (taken.length === 0) return
    this.#return(worker, taken)
    worker.heldBy = running?.key ?? -1
  }

  /**
   * No task may overtake an earlier one. So every task behind a due one goes too, and every task in front of a kept
   * one stays. A task that is costly to send is judged alone.
   */
  #takeDue(lane: Lane<Task>, list: LinkedList<Task>, ageMs: number, isKept: (task: Task) => boolean): Task[] {
    const isDue = (task: Task) => {
      const ownMs = patienceMs(lane, list) + (isCostly(task) ? COSTLY_MS : 0)
      return !isKept(task) && ageMs > ownMs * 2 ** task.takenBack
    }
    let firstDue: Task | undefined
    for (const task of list) {
      if (lane.stateOf(task) !== POSTED || task.staysPut || isCostly(task) || !isDue(task)) continue
      firstDue = task
      break
    }
    // Newest first.
    let isBehindDue = firstDue !== undefined
    let isBeforeKept = false
    return lane.takeBack(list, undefined, (task) => {
      if (isCostly(task)) return isDue(task)
      isBeforeKept ||= isKept(task)
      const goes = isBehindDue && !isBeforeKept
      if (task === firstDue) isBehindDue = false
      return goes
    })
  }

  /** Whether the worker may still be reading its messages. */
  #mayRead(lane: Lane<Task>): boolean {
    const allowedMs = readingMs(lane)
    return allowedMs > NO_PROGRESS_MS && this.#clock.nowMs() - lane.cpuSinceMs < allowedMs
  }

  #return(worker: PoolWorker, taken: readonly Task[]): void {
    worker.record.takenBack += taken.length
    for (const task of taken) {
      task.takenBack++
      this.#router.putBack(task)
    }
  }
}

function isStuck(lane: Lane<Task>, list: LinkedList<Task>, ageMs: number): boolean {
  return ageMs > NO_PROGRESS_MS && ageMs > patienceMs(lane, list)
}

/** How long a list of a lane may show no progress, ms. For ever if all its tasks have ended, or its only task runs. */
function patienceMs(lane: Lane<Task>, list: LinkedList<Task>): number {
  let task = list.first
  // Ended tasks: their answers are on the way, and this side is late.
  while (task !== undefined && lane.stateOf(task) === DONE) task = task.next as Task | undefined
  if (task === undefined) return Number.POSITIVE_INFINITY
  if (list.size > 1 || list === lane.io) {
    return Math.max(NO_PROGRESS_MS, NO_PROGRESS_FACTOR * task.expectedMs) + readingMs(lane)
  }
  return lane.stateOf(task) === POSTED ? UNSTARTED_MS + readingMs(lane) : Number.POSITIVE_INFINITY
}
