/** How workers leave: replaced by a successor, drained beside it, or ended for lack of work. */

import type { Clock } from '../../base/clock.js'
import type { WorkerRange } from '../options/options.js'
import type { PoolWorker } from './pool-worker.js'

export interface RecyclingParts {
  /** Whether the slot needs a successor. */
  isWanted(slot: number): boolean
  /** Whether one more thread may drain. */
  hasPlace(): boolean
  /** Lets the worker drain, and starts its successor. */
  replace(worker: PoolWorker): void
}

/**
 * Workers whose threads must be replaced. Successors start at once, and the old threads drain beside them. Two rules
 * bound this:
 * - A worker that can still take tasks waits while another successor is starting. So the pool is at most one worker
 *   short, and a module that can no longer be loaded stops only one worker.
 * - The number of draining threads is bounded. At the bound, replacing waits until one has ended.
 */
export class Recycling {
  readonly #parts: RecyclingParts
  #spent: PoolWorker[] = []
  #planned: PoolWorker[] = []
  /** Slot whose planned successor is on its way. */
  #awaited = -1

  constructor(parts: RecyclingParts) {
    this.#parts = parts
  }

  /** In its turn: the worker goes on taking tasks until then. */
  request(worker: PoolWorker): void {
    if (!worker.isReady || this.#planned.includes(worker)) return
    this.#planned.push(worker)
    this.goOn()
  }

  /** As soon as another thread may drain: the worker has run its maximum of tasks, or its heap is too large. */
  requestNow(worker: PoolWorker): void {
    if (!worker.isReady || this.#spent.includes(worker)) return
    this.#spent.push(worker)
    this.goOn()
  }

  /** The worker takes tasks. */
  ready(worker: PoolWorker): void {
    if (worker.slot === this.#awaited) this.#awaited = -1
    this.goOn()
  }

  /** A thread has ended, or the pool changed its size. */
  goOn(): void {
    while (this.#parts.hasPlace()) {
      const worker = nextOf(this.#spent) ?? this.#nextPlanned()
      if (worker === undefined) return
      this.#parts.replace(worker)
    }
  }

  #nextPlanned(): PoolWorker | undefined {
    if (this.#awaited >= 0 && this.#parts.isWanted(this.#awaited)) return undefined
    const next = nextOf(this.#planned)
    this.#awaited = next === undefined ? -1 : next.slot
    return next
  }
}

/** The first that is still in its slot and takes tasks. */
function nextOf(queue: PoolWorker[]): PoolWorker | undefined {
  while (queue.length > 0) {
    const worker = queue.shift()!
    if (worker.isReady) return worker
  }
  return undefined
}

/** How long a worker's `teardown` may take, ms. */
const TEARDOWN_MS = 5_000

/**
 * Workers that have left their slot. Each finishes what it has started beside its successor, runs the module's
 * `teardown`, and ends.
 */
export class Draining {
  readonly #clock: Clock
  readonly #limitMs: number
  #size = 0

  /** @param limitMs how long a worker may take to finish what it has started; then its thread is ended */
  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock
    this.#limitMs = limitMs
  }

  /** Threads that have not ended yet. */
  get size(): number {
    return this.#size
  }

  /** The worker gets nothing more. */
  add(worker: PoolWorker): void {
    worker.state = 'draining'
    worker.predecessors.add(worker)
    this.#size++
    if (this.#limitMs !== Number.POSITIVE_INFINITY) this.#endAfter(worker, this.#limitMs, () => this.#giveUp(worker))
  }

  /** A worker that has finished is told to tear down, then ended. */
  settle(worker: PoolWorker): void {
    if (worker.state !== 'draining' || worker.stopping || worker.outstanding > 0 || worker.lane === undefined) return
    worker.stopping = true
    worker.lane.tell({ type: 'stop', unheard: worker.thread?.isHeard === false || undefined })
    this.#endAfter(worker, TEARDOWN_MS, () => worker.terminate())
  }

  /** The thread is gone. */
  ended(worker: PoolWorker): void {
    worker.endTimer?.stop()
    if (worker.predecessors.delete(worker)) this.#size--
  }

  /** The tasks that it still runs are bystanders: they end because their worker is replaced. */
  #giveUp(worker: PoolWorker): void {
    worker.lane?.readAnswers()
    this.settle(worker)
    if (worker.state !== 'draining' || worker.stopping) return
    const message = `the worker was to be replaced or removed, and its tasks had not ended within closeTimeoutMs (${this.#limitMs} ms)`
    worker.uncaught ??= { error: new Error(message) }
    worker.terminate()
  }

  #endAfter(worker: PoolWorker, delayMs: number, end: () => void): void {
    worker.endTimer?.stop()
    worker.endTimer = this.#clock.after(delayMs, end)
    worker.endTimer.unref()
  }
}

// Reasons to replace a worker.

export interface SpentOptions {
  readonly maxTasksPerWorker: number
  readonly maxHeapBytes: number
}

/**
 * Whether the worker has begun as many tasks as it may, or has grown too large. Begun, not finished: the last one may
 * run for long, or for ever. Reads shared memory.
 */
export function isSpent({ maxTasksPerWorker, maxHeapBytes }: SpentOptions, worker: PoolWorker): boolean {
  if (!worker.isReady) return false
  return worker.startedInLife >= maxTasksPerWorker || worker.lane!.row.heapUsedBytes > maxHeapBytes
}

/** What `Shrinking` needs of the crew. */
export interface ShrinkingCrew {
  readonly workers: readonly PoolWorker[]
  readonly alive: number
  readonly range: WorkerRange
  readonly closing: boolean
  retire(worker: PoolWorker, afterDrain: PoolWorker['afterDrain']): void
}

/** Lower bound of the timer, ms, so that a tiny `idleMs` does not keep it spinning. */
const MIN_PERIOD_MS = 10

/**
 * Fewer workers when there is little to do: one that has been idle for `idleMs` ends, down to `workers.min`. Nothing
 * else ends a worker for lack of work, so the user's settings are exact.
 */
export class Shrinking {
  readonly #crew: ShrinkingCrew
  readonly #clock: Clock
  readonly #idleMs: number
  #watching = false

  constructor(crew: ShrinkingCrew, clock: Clock, idleMs: number) {
    this.#crew = crew
    this.#clock = clock
    this.#idleMs = idleMs
  }

  /** A worker became idle: looks again when its time may be over. The timer does not keep the process alive. */
  watch(): void {
    const { alive, range, closing } = this.#crew
    if (this.#watching || closing || alive <= range.min || this.#idleMs === Number.POSITIVE_INFINITY) return
    this.#watching = true
    this.#clock
      .after(Math.max(this.#idleMs, MIN_PERIOD_MS), () => {
        this.#watching = false
        while (this.#endOne()) {}
        this.watch()
      })
      .unref()
  }

  /** Ends the last of the workers that have been idle for so long, if there are more than `min`; true if so. */
  #endOne(): boolean {
    if (this.#crew.alive <= this.#crew.range.min) return false
    const nowMs = this.#clock.nowMs()
    const last = this.#crew.workers.findLast(
      (worker) => worker.state === 'idle' && nowMs - worker.idleSinceMs >= this.#idleMs,
    )
    if (last === undefined) return false
    this.#crew.retire(last, 'stay dead')
    return true
  }
}
