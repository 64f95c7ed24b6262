/**
 * Overload and underload of the pool as a whole, after dynamic feedback load balancing: when all weights are below
 * their initial weights, the pool is overloaded and needs workers; when all are well above, it has workers to spare.
 */

/** Weights by slot, at least 0, in the unit of the initial weights. */
export interface PressureReading {
  readonly size: number
  /** Initial weight of the slot's worker; 0 for a slot that takes no part. */
  initialWeight(slot: number): number
  weight(slot: number): number
}

/** Figures of the whole process, equal for all workers: they never move a worker's weight. */
export interface ProcessReading {
  /** CPU time used per time, as a share of the CPUs that may be used. */
  readonly cpuShare: number
  /** Resident memory as a share of the memory limit. */
  readonly memoryShare: number
}

/** A condition that has held for the hold time. */
export interface PressureEvent {
  readonly kind: 'overload' | 'underload'
  /** True the first time. True again only after the pool was clearly free of the condition, or under the opposite. */
  readonly isCrossing: boolean
  /**
   * What is short. Another worker cures a shortage of `weights` and worsens one of `memory`. An underload always has
   * `weights`.
   */
  readonly cause: 'weights' | 'memory'
}

/** A weight this many times the initial one is well above it; the weight formula ends at 2. */
const WELL_ABOVE = 1.5
/** How far a weight must come back before the condition is over. With less it would flicker at the line. */
const RETURN_BAND = 0.1
/** A memory share from which the pool is overloaded. */
const MEMORY_FULL = 0.9
/** A pool with work is observed every 100 ms. Between two observations further apart than this it had none, ms. */
const IDLE_GAP_MS = 300
/** A CPU share from which no worker is spare, whatever the weights say. */
const CPU_BUSY = 0.8

type Pressure = Pick<PressureEvent, 'kind' | 'cause'> | undefined

const OVERLOAD_BY_WEIGHTS = Object.freeze({ kind: 'overload', cause: 'weights' })
const OVERLOAD_BY_MEMORY = Object.freeze({ kind: 'overload', cause: 'memory' })
const UNDERLOAD = Object.freeze({ kind: 'underload', cause: 'weights' })

export class PoolPressure {
  readonly #holdMs: number
  #pressure: Pressure
  #heldMs = 0
  /** The condition that was reported last, until the pool has been free of it for the hold time. */
  #reported: PressureEvent['kind'] | undefined
  #freeMs = 0
  #observedAtMs = Number.NaN

  /** @param holdMs how long a condition must hold to be reported, and be gone to be reported again */
  constructor(holdMs: number) {
    this.#holdMs = holdMs
  }

  /**
   * Observes the pool once. Returns an event when a condition has held for `holdMs`, and again after each further
   * `holdMs`; only the first is the crossing. O(size). The time between two observations counts as at most half of
   * `holdMs`: one observation after a pause proves nothing about the pause.
   */
  observe(reading: PressureReading, process: ProcessReading, nowMs: number): PressureEvent | undefined {
    const sinceMs = nowMs - this.#observedAtMs
    this.#observedAtMs = nowMs
    const before = this.#pressure
    const pressure = pressureOf(reading, process, before)
    this.#pressure = pressure
    this.#rearm(pressure, before, sinceMs)
    if (pressure === undefined || pressure !== before) {
      this.#heldMs = 0
      return undefined
    }
    this.#heldMs += Math.min(sinceMs, this.#holdMs / 2)
    if (this.#heldMs < this.#holdMs) return undefined
    this.#heldMs = 0
    const isCrossing = pressure.kind !== this.#reported
    this.#reported = pressure.kind
    return { ...pressure, isCrossing }
  }

  /** A pool that was not observed was idle meanwhile. That ends an overload, but not an underload. */
  #rearm(pressure: Pressure, before: Pressure, sinceMs: number): void {
    const isFree = pressure?.kind !== this.#reported && before?.kind !== this.#reported
    if (!isFree || (sinceMs > IDLE_GAP_MS && this.#reported === 'underload')) this.#freeMs = 0
    else {
      this.#freeMs += sinceMs
      if (this.#freeMs >= this.#holdMs) this.#reported = undefined
    }
  }
}

function pressureOf(reading: PressureReading, process: ProcessReading, before: Pressure): Pressure {
  const memoryLine = before === OVERLOAD_BY_MEMORY ? MEMORY_FULL * (1 - RETURN_BAND) : MEMORY_FULL
  if (process.memoryShare >= memoryLine) return OVERLOAD_BY_MEMORY
  const overloadLine = before === OVERLOAD_BY_WEIGHTS ? 1 + RETURN_BAND : 1
  const underloadLine = before === UNDERLOAD ? WELL_ABOVE - RETURN_BAND : WELL_ABOVE
  let workers = 0
  let below = 0
  let above = 0
  for (let slot = 0; slot < reading.size; slot++) {
    const initial = reading.initialWeight(slot)
    if (!(initial > 0)) continue
    workers++
    const ratio = reading.weight(slot) / initial
    if (ratio < overloadLine) below++
    else if (ratio >= underloadLine) above++
  }
  if (workers === 0) return undefined
  if (below === workers) return OVERLOAD_BY_WEIGHTS
  const cpuLine = before === UNDERLOAD ? CPU_BUSY * (1 + RETURN_BAND) : CPU_BUSY
  return above === workers && process.cpuShare < cpuLine ? UNDERLOAD : undefined
}
