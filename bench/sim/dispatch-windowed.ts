import { type WindowOptions, windowTasks } from '../../src/dispatcher/routing/window.js'
import { TaskStats } from '../../src/dispatcher/tasks/task-stats.js'
import type { SelectionStrategy, SelectionTask } from '../../src/selection/load-view.js'
import type { Dispatch, DispatchFactory } from './dispatch.js'
import { FailureGuard } from './failure-guard.js'
import type { LoadRuleFactory } from './load-rule.js'
import { EXCLUDED, HAS_ROOM, IDLE, PoolView, type Rank } from './pool-view.js'
import type { SimulatedPool } from './simulated-pool.js'
import { NONE } from './task-table.js'

/** The numbers of the windowed rules; times in milliseconds. */
export interface WindowRules {
  /** Tasks a lane may hold; undefined: by expected time, with the live dispatcher's own rule. */
  readonly window: number | undefined
  readonly idleFirst: boolean
  /** Among idle lanes the one idle longest, without asking the strategy, as the live range table has it. */
  readonly longestIdle: boolean
  /** Expected work sent to one lane by one pick. */
  readonly chunkMs: number
  readonly takeBack: boolean
  /** A head without progress for max(stuckMs, stuckFactor x expected run time) gives up what is behind it. */
  readonly stuckMs: number
  readonly stuckFactor: number
  /** An idle lane takes half of the longest lane's unclaimed work if that is more than this. */
  readonly shareAboveMs: number
  readonly tickMs: number
  /** Whether a worker that fails everything loses its credit. */
  readonly failureGuard: boolean
}

/** The live dispatcher's numbers, of its placement, take-back and tick. */
export const DEFAULT_RULES: WindowRules = Object.freeze({
  window: undefined,
  idleFirst: true,
  longestIdle: true,
  chunkMs: 0.1,
  takeBack: true,
  stuckMs: 1,
  stuckFactor: 4,
  shareAboveMs: 0.5,
  tickMs: 5,
  failureGuard: true,
})

export interface WindowedOptions {
  readonly strategy: (simulation: SimulatedPool) => SelectionStrategy
  readonly load: LoadRuleFactory
  readonly rules?: Partial<WindowRules>
}

const KEYLESS: SelectionTask = {}

/** Chunks hold at most this many tasks. */
const MOST_IN_CHUNK = 64

/** Stuck lanes are looked for at most this often on answers; the tick looks too. */
const RESCUE_EVERY_MS = 0.5

/**
 * The live dispatcher's rules over simulated lanes: window, idle-first, chunk, hold, take-back, ramp of a restarted
 * worker, credit of a failing one. The estimate of run times and the window's size are its own code; the rest follows
 * it number for number.
 */
class WindowedDispatch implements Dispatch {
  readonly tickMs: number
  readonly #simulation: SimulatedPool
  readonly #rules: WindowRules
  readonly #strategy: SelectionStrategy
  readonly #view: PoolView
  readonly #stats = new TaskStats('simulated')
  /** Lanes that get nothing until their next answer. */
  readonly #held: Uint8Array
  /** Restarted workers that have not succeeded yet hold one task. */
  readonly #probation: Uint8Array
  readonly #failures: FailureGuard
  readonly #limits: WindowOptions
  /** Lanes that hold more than one task, as flags and as a count: without one there is nothing to share. */
  readonly #several: Uint8Array
  #crowded = 0
  #window = 0
  #rescuedMs = 0
  #draining = false

  constructor(simulation: SimulatedPool, { strategy, load, rules }: WindowedOptions) {
    this.#simulation = simulation
    this.#rules = { ...DEFAULT_RULES, ...rules }
    this.tickMs = this.#rules.takeBack ? this.#rules.tickMs : 0
    this.#strategy = strategy(simulation)
    this.#view = new PoolView(simulation, load(simulation), 'exact', this.#rules.idleFirst)
    const { size } = this.#view
    this.#limits = { window: this.#rules.window, ioWindow: 0, maxTasksPerWorker: Number.POSITIVE_INFINITY }
    this.#failures = new FailureGuard(simulation.fleet)
    this.#several = new Uint8Array(size)
    this.#held = new Uint8Array(size)
    this.#probation = new Uint8Array(size)
    this.#resize()
  }

  waitingGrew(): void {
    if (this.#draining) return
    this.#draining = true
    const { waiting } = this.#simulation
    const { chunkMs } = this.#rules
    while (waiting.head !== NONE && this.#view.open > 0) {
      const worker = this.#pick()
      if (worker < 0) break
      let left = Math.max(1, Math.min(MOST_IN_CHUNK, Math.floor(chunkMs / this.#stats.meanMs)))
      do {
        this.#simulation.post(waiting.head, worker)
        this.#refresh(worker)
      } while (--left > 0 && waiting.head !== NONE && this.#view.rankOf(worker) !== EXCLUDED)
    }
    this.#draining = false
  }

  answered(worker: number, task: number, failed: boolean): void {
    const { fleet, nowMs, tasks } = this.#simulation
    this.#held[worker] = 0
    this.#stats.record(1000 * tasks.runMs[task]!, !failed)
    if (failed) this.#blame(worker, tasks.runMs[task]!)
    else {
      this.#probation[worker] = 0
      this.#failures.succeeded(worker)
    }
    this.#resize()
    this.#refresh(worker)
    this.waitingGrew()
    if (!this.#rules.takeBack) return
    if (nowMs - this.#rescuedMs >= RESCUE_EVERY_MS) this.#rescue()
    if (fleet.outstanding[worker] === 0) this.#share()
  }

  tookBack(worker: number): void {
    this.#refresh(worker)
    this.waitingGrew()
  }

  skipped(worker: number): void {
    this.#held[worker] = 0
    this.#refresh(worker)
    this.waitingGrew()
    if (this.#rules.takeBack) this.#share()
  }

  membershipChanged(worker: number): void {
    const up = this.#simulation.fleet.up[worker] === 1
    this.#held[worker] = 0
    if (up) this.#probation[worker] = 1
    this.#failures.reset(worker)
    this.#refresh(worker)
    this.#strategy.membershipChanged?.(this.#view)
    this.waitingGrew()
    if (up && this.#rules.takeBack) this.#share()
  }

  reported(): void {
    this.#view.version++
  }

  tick(): void {
    this.#rescue()
    for (let lanes = this.#view.idle.length; lanes > 0 && this.#share(); lanes--);
  }

  woken(worker: number): void {
    this.#refresh(worker)
    this.waitingGrew()
  }

  #pick(): number {
    const { idleFirst, longestIdle } = this.#rules
    if (idleFirst && longestIdle && this.#view.idle.length > 0) return this.#view.idle.longest
    return this.#strategy.pick(this.#view, KEYLESS)
  }

  #blame(worker: number, runMs: number): void {
    if (!this.#rules.failureGuard) return
    const untilMs = this.#failures.failed(worker, this.#stats.serviceMs, runMs, this.#simulation.nowMs)
    if (untilMs > 0) this.#simulation.wakeAt(worker, untilMs)
  }

  #resize(): void {
    const window = windowTasks(this.#limits, this.#stats.meanMs)
    if (window === this.#window) return
    this.#window = window
    for (let worker = 0; worker < this.#view.size; worker++) this.#refresh(worker)
  }

  #refresh(worker: number): void {
    const several = this.#simulation.fleet.outstanding[worker]! > 1 ? 1 : 0
    this.#crowded += several - this.#several[worker]!
    this.#several[worker] = several
    this.#view.setRank(worker, this.#rank(worker))
  }

  #rank(worker: number): Rank {
    const { fleet, nowMs } = this.#simulation
    if (fleet.up[worker] === 0 || this.#held[worker] === 1 || this.#failures.isShut(worker, nowMs)) return EXCLUDED
    const outstanding = fleet.outstanding[worker]!
    if (outstanding === 0) return IDLE
    const window = this.#probation[worker] === 1 ? 1 : this.#window
    return outstanding < window ? HAS_ROOM : EXCLUDED
  }

  #rescue(): void {
    const { fleet, nowMs } = this.#simulation
    this.#rescuedMs = nowMs
    const { stuckMs, stuckFactor } = this.#rules
    const limitMs = Math.max(stuckMs, stuckFactor * this.#stats.meanMs)
    for (let worker = 0; worker < fleet.size; worker++) {
      if (fleet.inbox[worker]!.length === 0) continue
      if (nowMs - Math.max(fleet.progressMs[worker]!, fleet.wokenMs[worker]!) <= limitMs) continue
      this.#held[worker] = 1
      this.#refresh(worker)
      this.#takeBackNewest(worker, fleet.inbox[worker]!.length)
    }
  }

  /** Half of the unclaimed work of the lane with most, for a lane that is idle while nothing waits. */
  #share(): boolean {
    const { fleet, tasks, waiting } = this.#simulation
    if (this.#view.idle.length === 0 || this.#crowded === 0 || waiting.head !== NONE) return false
    let most = NONE
    let mostTasks = 0
    for (let worker = 0; worker < fleet.size; worker++) {
      const { tail } = fleet.inbox[worker]!
      if (tail === NONE || tasks.revoking[tail] === 1) continue
      // Without a claimed task the oldest one is about to be claimed where it is.
      const movable = fleet.inbox[worker]!.length - (fleet.running[worker] === NONE ? 1 : 0)
      if (movable > mostTasks || (movable === mostTasks && movable > 0 && this.#headsOlder(worker, most))) {
        most = worker
        mostTasks = movable
      }
    }
    if (most === NONE || mostTasks * this.#stats.meanMs <= this.#rules.shareAboveMs) return false
    this.#takeBackNewest(most, Math.ceil(mostTasks / 2))
    return true
  }

  #headsOlder(worker: number, than: number): boolean {
    const { inbox } = this.#simulation.fleet
    return inbox[worker]!.head < inbox[than]!.head
  }

  #takeBackNewest(worker: number, count: number): void {
    const { fleet, tasks } = this.#simulation
    let task = fleet.inbox[worker]!.tail
    for (let left = count; left > 0 && task !== NONE; left--) {
      const older = tasks.previous[task]!
      this.#simulation.takeBack(task)
      task = older
    }
  }
}

export function windowedDispatch(options: WindowedOptions): DispatchFactory {
  return (simulation) => new WindowedDispatch(simulation, options)
}
