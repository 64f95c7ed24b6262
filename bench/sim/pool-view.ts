import type { LoadView } from '../../src/selection/load-view.js'
import { IdleLine } from './idle-line.js'
import type { LoadRule } from './load-rule.js'
import type { SimulatedPool } from './simulated-pool.js'

/**
 * What the strategy is told of outstanding tasks: the dispatcher's own count; the depth of the last report; or that
 * depth plus what was sent since (the local view of "local shortest queue").
 */
export type OutstandingSignal = 'exact' | 'reported' | 'reported-plus-sent'

/** How fit a worker is to get a task now; only workers of the best rank present are candidates. */
export type Rank = 0 | 1 | 2
export const EXCLUDED: Rank = 0
export const HAS_ROOM: Rank = 1
export const IDLE: Rank = 2

/** The live dispatcher's view of its lanes, over the simulated fleet. */
export class PoolView implements LoadView {
  readonly size: number
  version = 0
  /** Workers of rank IDLE or HAS_ROOM. */
  open = 0
  /** Workers of rank IDLE. */
  readonly idle: IdleLine
  /** When set, an idle worker goes before all others. */
  readonly #idleFirst: boolean
  readonly #rank: Uint8Array
  readonly #simulation: SimulatedPool
  readonly #rule: LoadRule
  readonly #signal: OutstandingSignal

  constructor(simulation: SimulatedPool, rule: LoadRule, signal: OutstandingSignal, idleFirst: boolean) {
    this.size = simulation.fleet.size
    this.#simulation = simulation
    this.#rule = rule
    this.#signal = signal
    this.#idleFirst = idleFirst
    this.#rank = new Uint8Array(this.size)
    this.idle = new IdleLine(this.size)
  }

  rankOf(worker: number): Rank {
    return this.#rank[worker] as Rank
  }

  setRank(worker: number, rank: Rank): void {
    const before = this.#rank[worker]
    if (before === rank) return
    if (before === EXCLUDED) this.open++
    if (rank === EXCLUDED) this.open--
    this.idle.set(worker, rank === IDLE)
    this.#rank[worker] = rank
    this.version++
  }

  isCandidate(worker: number): boolean {
    return this.#rank[worker]! >= (this.#idleFirst && this.idle.length > 0 ? IDLE : HAS_ROOM)
  }

  load(worker: number): number {
    return this.#rule.exact(worker)
  }

  outstanding(worker: number): number {
    if (this.#signal === 'exact') return this.#simulation.fleet.outstanding[worker]!
    const depth = this.reportedDepth(worker)
    const fresh = this.#simulation.scenario.reports.periodMs === 0
    return fresh || this.#signal === 'reported' ? depth : depth + this.#simulation.fleet.sentSinceReport[worker]!
  }

  reportedLoad(worker: number): number {
    return this.#rule.reported(worker)
  }

  reportedDepth(worker: number): number {
    const { fleet, scenario } = this.#simulation
    return scenario.reports.periodMs === 0 ? fleet.depth(worker) : fleet.reportedDepth[worker]!
  }

  reportAgeMs(worker: number): number {
    const { fleet, scenario, nowMs } = this.#simulation
    return scenario.reports.periodMs === 0 ? 0 : nowMs - fleet.reportedMs[worker]!
  }
}
