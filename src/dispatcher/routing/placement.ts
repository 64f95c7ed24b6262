/**
 * Which worker gets a task. Candidates are the workers that are ready, healthy and have room. If some are idle, only
 * those; the strategy chooses among them. Exceptions: a chunk goes to the last worker, a key to its worker, moved
 * objects to an idle worker, and range-table takes the idle worker that was used least recently.
 */

import type { Clock } from '../../base/clock.js'
import { EvenkeelError } from '../../base/errors.js'
import type { LoadView, SelectionStrategy, SelectionTask } from '../../selection/load-view.js'
import type { PoolWorker } from '../crew/pool-worker.js'
import type { ResolvedOptions } from '../options/options.js'
import type { Task } from '../tasks/task.js'
import { hasRoom } from './window.js'
import type { WorkerView } from './worker-view.js'

/**
 * A thread that ran a task less than this ago is still awake, ms. It answers a short task sooner than a sleeping one.
 */
const WARM_MS = 0.2
/** A chunk, successive tasks sent to one worker by one pick, holds at most this much expected work, ms … */
const CHUNK_MS = 0.1
/** … and this many tasks. A pick per task costs a quarter of the throughput of tasks that do nothing. */
const CHUNK_TASKS = 64
export class Placement {
  readonly #workers: readonly PoolWorker[]
  readonly #options: ResolvedOptions
  readonly #view: WorkerView
  readonly #clock: Clock
  readonly #guard: StrategyGuard
  readonly #strategy: SelectionStrategy
  readonly #keyed: SelectionStrategy
  #chunkWorker: PoolWorker | undefined
  #chunkTasks = 0
  #chunkMs = 0
  /** True while a task is being posted. */
  isPosting = false
  /** Suspicion and ejection are ignored, because they would exclude more than half of the workers. */
  failOpen = false

  constructor(
    workers: readonly PoolWorker[],
    view: WorkerView,
    options: ResolvedOptions,
    keyed: SelectionStrategy,
    clock: Clock,
    onStrategyFault: (error: unknown) => void,
  ) {
    this.#guard = new StrategyGuard(clock, onStrategyFault)
    this.#workers = workers
    this.#view = view
    this.#options = options
    this.#strategy = options.strategy
    this.#keyed = keyed
    this.#clock = clock
  }

  /**
   * True while user code may run: a strategy, or a getter of a payload that is being posted. No task may be placed
   * meanwhile. A task submitted by a getter would be listed after the task being posted, yet sent before it.
   */
  get isBusy(): boolean {
    return this.isPosting || this.#guard.isAsking
  }

  /** The worker for this task, or undefined when none has room. Does not post. */
  pick(task: Task): PoolWorker | undefined {
    const { key } = task.options
    if (key !== undefined) return this.#pickKeyed(task)
    const chunk = this.#chunkWorker
    if (chunk !== undefined) {
      if (this.#continuesChunk(chunk, task)) return chunk
      this.#chunkWorker = undefined
    }
    const worker = this.#pickFresh(task)
    if (worker !== undefined && task.kind === 'cpu' && task.stats.runs > 0) {
      this.#chunkWorker = worker
      this.#chunkTasks = 1
      this.#chunkMs = task.stats.meanMs
    }
    return worker
  }

  /** An idle worker. If none is idle, the least loaded one, to be reserved. */
  pickIdle(): { worker: PoolWorker; idle: boolean } | undefined {
    let best: PoolWorker | undefined
    for (const worker of this.#workers) {
      if (!this.#isOpen(worker)) continue
      if (worker.outstanding === 0) return { worker, idle: true }
      if (best === undefined || worker.lane!.expectedMs < best.lane!.expectedMs) best = worker
    }
    return best === undefined ? undefined : { worker: best, idle: false }
  }

  /** Push mode: the strategy chooses among all live workers. */
  pickAny(task: Task): PoolWorker | undefined {
    const { candidate } = this.#view
    let count = 0
    for (const worker of this.#workers) {
      const live = worker.isReady
      candidate[worker.slot] = live ? 1 : 0
      if (live) count++
    }
    if (count === 0) return undefined
    this.#view.version++
    return this.#byStrategy(this.#strategy, task)
  }

  /** Whether the strategy or the load uses response times. */
  get weighsResponses(): boolean {
    return this.#view.weighted
  }

  /** Whether some worker has nothing to do and may get work. */
  get hasIdle(): boolean {
    for (const worker of this.#workers) if (worker.state === 'idle' && this.#isOpen(worker)) return true
    return false
  }

  /** The next task gets a pick of its own. */
  endChunk(): void {
    this.#chunkWorker = undefined
  }

  membershipChanged(): void {
    this.endChunk()
    this.#view.version++
    this.#guard.tellMembership(this.#keyed, this.#view)
    this.#guard.tellMembership(this.#strategy, this.#view)
  }

  #continuesChunk(worker: PoolWorker, task: Task): boolean {
    if (task.kind !== 'cpu' || this.#chunkTasks >= CHUNK_TASKS) return false
    if (this.#chunkMs + task.stats.meanMs > CHUNK_MS || task.stats.runs === 0) return false
    if (!this.#isOpen(worker) || !hasRoom(this.#options, worker, task)) return false
    this.#chunkTasks++
    this.#chunkMs += task.stats.meanMs
    return true
  }

  /** Whether only its window may keep tasks from this worker. */
  #isOpen(worker: PoolWorker): boolean {
    if (worker.held || worker.reserved !== undefined || worker.penalised) return false
    switch (worker.state) {
      case 'idle':
      case 'busy':
        return true
      case 'suspect':
      case 'ejected':
        return this.failOpen
      default:
        return false
    }
  }

  #pickFresh(task: Task): PoolWorker | undefined {
    const { candidate } = this.#view
    let count = 0
    let idleCount = 0
    let last: PoolWorker | undefined
    let lastIdle: PoolWorker | undefined
    for (const worker of this.#workers) {
      const open = this.#isOpen(worker) && hasRoom(this.#options, worker, task)
      candidate[worker.slot] = open ? 1 : 0
      if (!open) continue
      count++
      last = worker
      if (worker.outstanding === 0) {
        idleCount++
        lastIdle = worker
      }
    }
    if (count <= 1) return last
    if (idleCount === 1) return lastIdle
    if (idleCount > 1) return this.#pickIdle(task)
    if (this.#narrow(task) === 1) return this.#firstCandidate(task)
    this.#view.version++
    return this.#byStrategy(this.#strategy, task)
  }

  #pickIdle(task: Task): PoolWorker | undefined {
    const { candidate } = this.#view
    if (this.#strategy.name === 'range-table') return this.#warmOrLeastRecent(task)
    for (const worker of this.#workers) if (worker.outstanding > 0) candidate[worker.slot] = 0
    this.#view.version++
    return this.#byStrategy(this.#strategy, task)
  }

  /**
   * Idle workers have equal loads, so a random draw spreads unevenly: over 500 draws the busiest of three got 0.355
   * of them, and up to 0.388. Taking the least recently used one spreads evenly. A short task prefers a thread that
   * is awake.
   */
  #warmOrLeastRecent(task: Task): PoolWorker | undefined {
    let least: PoolWorker | undefined
    let most: PoolWorker | undefined
    for (const worker of this.#workers) {
      if (this.#view.candidate[worker.slot] !== 1 || worker.outstanding > 0) continue
      if (least === undefined || worker.idleSinceMs < least.idleSinceMs) least = worker
      if (most === undefined || worker.idleSinceMs > most.idleSinceMs) most = worker
    }
    const short = task.kind === 'cpu' && task.stats.meanMs < WARM_MS
    return short && this.#clock.nowMs() - most!.idleSinceMs < WARM_MS ? most : least
  }

  /** If possible, I/O tasks avoid workers with CPU tasks, and CPU tasks avoid workers with I/O tasks. */
  #narrow(task: Task): number {
    const { candidate } = this.#view
    let kept = 0
    let count = 0
    for (const worker of this.#workers) {
      if (candidate[worker.slot] !== 1) continue
      count++
      if (!clashes(worker, task)) kept++
    }
    if (kept === 0 || kept === count) return count
    for (const worker of this.#workers) {
      if (candidate[worker.slot] === 1 && clashes(worker, task)) candidate[worker.slot] = 0
    }
    return kept
  }

  #pickKeyed(task: Task): PoolWorker | undefined {
    const { candidate } = this.#view
    let count = 0
    for (const worker of this.#workers) {
      const open = this.#isOpen(worker) && hasRoom(this.#options, worker, task)
      candidate[worker.slot] = open ? 1 : 0
      if (open) count++
    }
    if (count === 0) return undefined
    this.#view.version++
    return this.#byStrategy(this.#keyed, task)
  }

  /** If a strategy fails, the first candidate gets the task. */
  #byStrategy(strategy: SelectionStrategy, task: Task): PoolWorker | undefined {
    const choice = this.#guard.ask(strategy, this.#view, task.options)
    if (choice === -1) {
      const isBusy = this.#workers.some(({ outstanding }) => outstanding > 0)
      this.#guard.choseNobody(strategy, isBusy)
      return undefined
    }
    const worker = choice === undefined ? undefined : this.#workers[choice]
    return worker !== undefined && this.#isStillOpen(worker, task) ? worker : this.#firstCandidate(task)
  }

  #firstCandidate(task: Task): PoolWorker | undefined {
    const { candidate } = this.#view
    return this.#workers.find((worker) => candidate[worker.slot] === 1 && this.#isStillOpen(worker, task))
  }

  /** Checked again, because the strategy may have resized the pool or recycled the worker. */
  #isStillOpen(worker: PoolWorker, task: Task): boolean {
    if (this.#options.mode === 'push') return worker.isReady
    return this.#isOpen(worker) && hasRoom(this.#options, worker, task)
  }
}

function clashes(worker: PoolWorker, task: Task): boolean {
  const lane = worker.lane!
  return (task.kind === 'io' ? lane.cpu.size : lane.io.size) > 0
}

/** A strategy that chooses nobody for this long while nothing runs is reported, ms. */
const NOBODY_MS = 1_000

type Fault = 'throws' | 'answers' | 'nobody'

/**
 * Asks a strategy. A user's strategy may throw, return anything, and use the pool meanwhile. Each kind of fault is
 * reported once, and none loses a task.
 */
export class StrategyGuard {
  readonly #clock: Clock
  readonly #onFault: (error: unknown) => void
  readonly #reported = new Set<Fault>()
  /** Since when nobody was chosen, ms. */
  #nobodySinceMs: number | undefined
  /**
   * True during a call of the strategy. No task may be placed then, because the candidates must stay the same.
   */
  isAsking = false

  constructor(clock: Clock, onFault: (error: unknown) => void) {
    this.#clock = clock
    this.#onFault = onFault
  }

  /** The chosen candidate, -1 for nobody, or undefined if the answer is invalid. */
  ask(strategy: SelectionStrategy, view: LoadView, task: SelectionTask): number | undefined {
    let answer: unknown
    this.isAsking = true
    try {
      answer = strategy.pick(view, task)
    } catch (error) {
      this.#report('throws', error)
      return undefined
    } finally {
      this.isAsking = false
    }
    if (answer === -1) return -1
    this.#nobodySinceMs = undefined
    if (isIndex(answer, view.size) && view.isCandidate(answer)) return answer
    this.#hear(answer)
    this.#report('answers', answerError(strategy, answer))
    return undefined
  }

  tellMembership(strategy: SelectionStrategy, view: LoadView): void {
    const wasAsking = this.isAsking
    this.isAsking = true
    try {
      this.#hear(strategy.membershipChanged?.(view))
    } catch (error) {
      this.#report('throws', error)
    } finally {
      this.isAsking = wasAsking
    }
  }

  /**
   * The strategy chose nobody: the task waits, and the strategy is asked again. It is a fault if the pool stands still
   * because of it.
   *
   * @param isBusy whether any worker has something to do
   */
  choseNobody(strategy: SelectionStrategy, isBusy: boolean): void {
    const nowMs = this.#clock.nowMs()
    if (isBusy) this.#nobodySinceMs = nowMs
    this.#nobodySinceMs ??= nowMs
    if (nowMs - this.#nobodySinceMs < NOBODY_MS) return
    const message = `strategy "${strategy.name}" has chosen nobody for ${NOBODY_MS} ms although no worker is busy; tasks wait until it does`
    this.#report('nobody', new EvenkeelError('EVENKEEL_STRATEGY', message))
  }

  /** An async method returns a promise, which may reject. */
  #hear(answer: unknown): void {
    if (answer instanceof Promise) answer.catch((error: unknown) => this.#report('throws', error))
  }

  #report(fault: Fault, error: unknown): void {
    if (this.#reported.has(fault)) return
    this.#reported.add(fault)
    this.#onFault(error)
  }
}

function isIndex(answer: unknown, size: number): answer is number {
  return Number.isInteger(answer) && (answer as number) >= 0 && (answer as number) < size
}

function answerError({ name }: SelectionStrategy, answer: unknown): EvenkeelError {
  const isPlain = typeof answer === 'number' || answer === undefined || answer === null
  const given = isPlain ? String(answer) : `a ${typeof answer}`
  const message = `strategy "${name}" answered ${given}, which is no candidate's index; the first candidate serves`
  return new EvenkeelError('EVENKEEL_STRATEGY', message)
}
