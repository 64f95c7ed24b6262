import type { SelectionStrategy, SelectionTask } from '../../src/selection/load-view.js'
import type { Dispatch, DispatchFactory } from './dispatch.js'
import type { LoadRuleFactory } from './load-rule.js'
import { EXCLUDED, HAS_ROOM, type OutstandingSignal, PoolView } from './pool-view.js'
import type { SimulatedPool } from './simulated-pool.js'
import { NONE } from './task-table.js'

export interface PushOptions {
  readonly strategy: (simulation: SimulatedPool) => SelectionStrategy
  readonly load: LoadRuleFactory
  readonly outstanding?: OutstandingSignal
}

const KEYLESS: SelectionTask = {}

/** The strategy alone decides, at once, over all live workers: no window, no idle-first, no take-back. */
class PushDispatch implements Dispatch {
  readonly tickMs = 0
  readonly #simulation: SimulatedPool
  readonly #strategy: SelectionStrategy
  readonly #view: PoolView
  #draining = false

  constructor(simulation: SimulatedPool, { strategy, load, outstanding = 'exact' }: PushOptions) {
    this.#simulation = simulation
    this.#strategy = strategy(simulation)
    this.#view = new PoolView(simulation, load(simulation), outstanding, false)
    for (let worker = 0; worker < this.#view.size; worker++) this.#view.setRank(worker, HAS_ROOM)
  }

  waitingGrew(): void {
    // A worker may die of the task it is sent, which makes the line grow while it is being emptied.
    if (this.#draining) return
    this.#draining = true
    const { waiting } = this.#simulation
    this.#applyAgeLimit()
    while (waiting.head !== NONE) {
      const worker = this.#strategy.pick(this.#view, KEYLESS)
      if (worker < 0) break
      this.#simulation.post(waiting.head, worker)
      this.#depthChanged()
    }
    this.#draining = false
  }

  answered(): void {
    this.#depthChanged()
    // A strategy may have found nobody good enough before.
    this.waitingGrew()
  }

  membershipChanged(worker: number): void {
    this.#view.setRank(worker, this.#simulation.fleet.up[worker] === 1 ? HAS_ROOM : EXCLUDED)
    this.#strategy.membershipChanged?.(this.#view)
    this.waitingGrew()
  }

  reported(): void {
    this.#view.version++
  }

  tookBack(): void {}

  skipped(): void {}

  woken(): void {}

  tick(): void {}

  /** Reports that are never stale change with every task sent and answered. */
  #depthChanged(): void {
    if (this.#simulation.scenario.reports.periodMs === 0) this.#view.version++
  }

  /** Leaves out workers with old reports, unless that would leave fewer than half: then old reports are ignored. */
  #applyAgeLimit(): void {
    const { fleet, scenario } = this.#simulation
    const limitMs = scenario.reportAgeLimitMs
    if (limitMs === undefined) return
    let fresh = 0
    for (let worker = 0; worker < fleet.size; worker++) {
      if (fleet.up[worker] === 1 && this.#view.reportAgeMs(worker) <= limitMs) fresh++
    }
    const ignored = 2 * fresh < fleet.size
    for (let worker = 0; worker < fleet.size; worker++) {
      const fit = fleet.up[worker] === 1 && (ignored || this.#view.reportAgeMs(worker) <= limitMs)
      this.#view.setRank(worker, fit ? HAS_ROOM : EXCLUDED)
    }
  }
}

export function pushDispatch(options: PushOptions): DispatchFactory {
  return (simulation) => new PushDispatch(simulation, options)
}
