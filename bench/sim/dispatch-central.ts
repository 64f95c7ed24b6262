import type { Dispatch, DispatchFactory } from './dispatch.js'
import type { Simulation } from './simulation.js'
import { NONE } from './task-table.js'

/**
 * The ideal to compare with: one queue, and a worker gets its next task when it has none. Among idle workers the
 * fastest goes first, then the one idle longest. With delays it is what a pool does that posts one task at a time.
 */
class CentralDispatch implements Dispatch {
  readonly tickMs = 0
  readonly #simulation: Simulation
  #idle: number

  constructor(simulation: Simulation) {
    this.#simulation = simulation
    this.#idle = simulation.fleet.size
  }

  waitingGrew(): void {
    const { waiting } = this.#simulation
    while (waiting.head !== NONE && this.#idle > 0) {
      const worker = this.#fastestIdle()
      if (worker === NONE) return
      this.#idle--
      this.#simulation.post(waiting.head, worker)
    }
  }

  answered(worker: number): void {
    if (this.#isIdle(worker)) this.#idle++
    this.waitingGrew()
  }

  membershipChanged(): void {
    const { fleet } = this.#simulation
    this.#idle = 0
    for (let worker = 0; worker < fleet.size; worker++) if (this.#isIdle(worker)) this.#idle++
    this.waitingGrew()
  }

  reported(): void {}

  skipped(): void {}

  woken(): void {}

  tick(): void {}

  #isIdle(worker: number): boolean {
    const { fleet } = this.#simulation
    return fleet.up[worker] === 1 && fleet.outstanding[worker] === 0
  }

  #fastestIdle(): number {
    const { fleet } = this.#simulation
    let best = NONE
    for (let worker = 0; worker < fleet.size; worker++) {
      if (!this.#isIdle(worker)) continue
      if (best === NONE || fleet.speed[worker]! > fleet.speed[best]!) best = worker
      else if (fleet.speed[worker] === fleet.speed[best] && fleet.progressMs[worker]! < fleet.progressMs[best]!) {
        best = worker
      }
    }
    return best
  }
}

export function centralDispatch(): DispatchFactory {
  return (simulation) => new CentralDispatch(simulation)
}
