import type { Dispatch, DispatchFactory } from './dispatch.js'
import { IdleLine } from './idle-line.js'
import type { SimulatedPool } from './simulated-pool.js'
import { NONE } from './task-table.js'

/**
 * The ideal to compare with: one queue, and a worker gets its next task when it has none. Among idle workers the
 * fastest goes first, then the one idle longest. With delays it is what a pool does that posts one task at a time.
 */
class CentralDispatch implements Dispatch {
  readonly tickMs = 0
  readonly #simulation: SimulatedPool
  readonly #speeds: readonly number[]
  /** One line of idle workers for each speed, the fastest first. */
  readonly #lines: readonly IdleLine[]

  constructor(simulation: SimulatedPool) {
    const { speed, size } = simulation.fleet
    this.#simulation = simulation
    this.#speeds = [...new Set(speed)].sort((a, b) => b - a)
    this.#lines = this.#speeds.map(() => new IdleLine(size))
    for (let worker = 0; worker < size; worker++) this.#refresh(worker)
  }

  waitingGrew(): void {
    const { waiting } = this.#simulation
    while (waiting.head !== NONE) {
      const line = this.#lines.find(({ length }) => length > 0)
      if (line === undefined) return
      const worker = line.longest
      this.#simulation.post(waiting.head, worker)
      this.#refresh(worker)
    }
  }

  answered(worker: number): void {
    this.#refresh(worker)
    this.waitingGrew()
  }

  membershipChanged(worker: number): void {
    this.#refresh(worker)
    this.waitingGrew()
  }

  tookBack(): void {}

  skipped(): void {}

  woken(): void {}

  reported(): void {}

  tick(): void {}

  #refresh(worker: number): void {
    const { up, outstanding, speed } = this.#simulation.fleet
    const line = this.#lines[this.#speeds.indexOf(speed[worker]!)]!
    line.set(worker, up[worker] === 1 && outstanding[worker] === 0)
  }
}

export function centralDispatch(): DispatchFactory {
  return (simulation) => new CentralDispatch(simulation)
}
