/**
 * Takes posted, unstarted tasks back from workers that do not get on, so that a stalled, dying or merely slow worker
 * keeps only what it is executing. Why no task is lost or started twice: `src/board/README.md`; why each is posted
 * only a few times: "How often a task is posted" there.
 */

import type { Clock } from '../../base/clock.js'
import type { LinkedList } from '../../base/linked-list.js'
import { DONE, POSTED } from '../../board/claims.js'
import type { Lane } from '../../engine/lane.js'
import type { PoolWorker } from '../crew/pool-worker.js'
import type { ResolvedOptions } from '../options/options.js'
import { isCostly, type Task } from '../tasks/task.js'

/** A lane is stuck when for longer than this, and than four times the run expected, nothing starts or ends, ms. Flat between 0.3 and 3. */
const NO_PROGRESS_MS = 1
const NO_PROGRESS_FACTOR = 4
/** An only task that has not even been started after this long waits for a thread that is off the processor, ms. */
const UNSTARTED_MS = 4
/**
 * Until it has read a message, a worker can stamp nothing. Posting took this side about as long as reading takes the
 * other; so many times that are added to all patience. Five brought ten shapes of slow payloads from "never" to 0.8 to
 * 1.1 times what they take without take-back.
 */
const READING_FACTOR = 5
/**
 * A thread that is off the processor comes back within this, mostly, ms: what is costly to send is worth the wait. Without
 * it 200 texts of 1 MB took twice the processor time on a busy machine.
 */
const COSTLY_MS = 20
/** A task that was taken back so often stays, unless another task is what its worker is busy with. */
const MAX_TAKE_BACKS = 3
/** Unstarted work worth moving to an idle worker, ms: a wake-up can take 0.2. */
const SHARE_MS = 0.5

/** How long a worker may read what it holds, ms, before its silence means anything. */
export function readingMs(lane: Lane<Task>): number {
  return (READING_FACTOR * lane.postingUs) / 1000
}

/** Who gives tasks to workers, and takes them again. */
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

  /** From every lane that makes no progress: what is not started and has waited long enough; the lane is held until it answers. */
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
   * Takes back what a silent worker has not started, and holds it until its next answer. A worker that is `lost`,
   * blocked or not to be trusted, keeps not even the tasks that were taken back too often.
   */
  takeAll(worker: PoolWorker, isLost: boolean): void {
    if (this.#enabled) this.#take(worker, Number.POSITIVE_INFINITY, isLost)
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
        // What is costly to send moves only when its worker makes no progress.
        if (isCostly(lane.cpu.last!) || this.#mayRead(lane)) continue
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
    const taken = lane.takeBack(lane.cpu, enough, (task) => task.takenBack < MAX_TAKE_BACKS)
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
      // Nothing of the dispatcher's own keeps moving what is costly to send.
      if (last.takenBack > 0 && isCostly(last)) continue
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

  /** Patience doubles with each time that this very task was taken back. */
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
   * No task may overtake another that was before it: behind one that is due everything goes, and in front of one that is
   * kept everything stays. What is costly to send is judged by itself.
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

  /** Whether the worker may still be reading what was posted to it. */
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

/** How long a lane may show no progress on one of its lists; for ever when all of it that is unanswered has ended, or its only task runs. */
function patienceMs(lane: Lane<Task>, list: LinkedList<Task>): number {
  let task = list.first
  // Ended tasks whose answers are on their way: this side has not read them yet.
  while (task !== undefined && lane.stateOf(task) === DONE) task = task.next as Task | undefined
  if (task === undefined) return Number.POSITIVE_INFINITY
  if (list.size > 1 || list === lane.io) {
    return Math.max(NO_PROGRESS_MS, NO_PROGRESS_FACTOR * task.expectedMs) + readingMs(lane)
  }
  return lane.stateOf(task) === POSTED ? UNSTARTED_MS + readingMs(lane) : Number.POSITIVE_INFINITY
}
