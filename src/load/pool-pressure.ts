/**
 * Overload and underload of the pool as a whole. Source: the fifth one: when all weights are below their initial
 * weights the cluster is overloaded and nodes should be added; when all are well above, nodes can go.
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

/** A condition that has held for a while. */
export interface PressureEvent {
  readonly kind: 'overload' | 'underload'
  /** True the first time; again only after the pool was clearly free of it, or under the opposite. */
  readonly isCrossing: boolean
  /**
   * What is short. Only a shortage of `weights` is one that a further worker can cure; `memory` is made worse by it.
   * An underload has always `weights`.
   */
  readonly cause: 'weights' | 'memory'
}

/** A weight this many times the initial one is well above it; the weight formula ends at 2. */
const WELL_ABOVE = 1.5
/** How far a weight must come back before the condition counts as over: less would flicker at the line. */
const RETURN_BAND = 0.1
/** Memory this full is an overload. */
const MEMORY_FULL = 0.9
/** A pool with work is looked at every 100 ms; between two looks further apart it had none, ms. */
const IDLE_GAP_MS = 300
/** With the CPUs this busy no worker is spare, whatever the weights say. */
const CPU_BUSY = 0.8

type Pressure = Pick<PressureEvent, 'kind' | 'cause'> | undefined

const OVERLOAD_BY_WEIGHTS = Object.freeze({ kind: 'overload', cause: 'weights' })
const OVERLOAD_BY_MEMORY = Object.freeze({ kind: 'overload', cause: 'memory' })
const UNDERLOAD = Object.freeze({ kind: 'underload', cause: 'weights' })

export class PoolPressure {
  readonly #holdMs: number
  #pressure: Pressure
  #heldMs = 0
  /** What was told last, until the pool has been free of it for the hold time. */
  #told: PressureEvent['kind'] | undefined
  #freeMs = 0
  #observedAtMs = Number.NaN

  /** @param holdMs how long a condition must hold to be told, and be gone to be told again */
  constructor(holdMs: number) {
    this.#holdMs = holdMs
  }

  /**
   * One look at the pool; returns an event when a condition has held for `holdMs`, and again after each further
   * `holdMs`, only the first of which is the crossing. O(size). Between two looks a condition is taken to hold for at
   * most half of `holdMs`: after a pause of the caller one look proves nothing about the time before.
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
    const isCrossing = pressure.kind !== this.#told
    this.#told = pressure.kind
    return { ...pressure, isCrossing }
  }

  /** A pool that was not looked at was idle meanwhile: that ends an overload, and no underload. */
  #rearm(pressure: Pressure, before: Pressure, sinceMs: number): void {
    const isFree = pressure?.kind !== this.#told && before?.kind !== this.#told
    if (!isFree || (sinceMs > IDLE_GAP_MS && this.#told === 'underload')) this.#freeMs = 0
    else {
      this.#freeMs += sinceMs
      if (this.#freeMs >= this.#holdMs) this.#told = undefined
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
