/** The loads of all workers of a pool, from their readings. The dispatcher and the simulator both run this model. */

import {
  CPU,
  cpuFactor,
  defaultLoad,
  FACTOR_NAMES,
  IO,
  ioFactor,
  LAG,
  lagFactor,
  MEMORY,
  memoryFactor,
  PROCESS,
  processFactor,
  RESPONSE,
  responseFactor,
  silentMs,
  weightedLoad,
} from './factors.js'
import {
  type LoadCoefficients,
  type LoadOptions,
  type ResolvedLoadOptions,
  resolveCoefficients,
  resolveLoadOptions,
} from './load-options.js'
import { newSmoothing, type Smoothing } from './smoothing.js'
import type { WorkerReading } from './worker-reading.js'

/** The most workers a dispatcher may have. */
const MAX_SLOTS = 1_024

export class LoadModel {
  readonly #options: ResolvedLoadOptions
  readonly #factors = new Float64Array(FACTOR_NAMES.length)
  readonly #smoothing: Smoothing | undefined
  readonly #sampledAtMs: Float64Array
  /** By slot, the load that last counted as moved. */
  readonly #counted: Float64Array
  #coefficients: readonly number[] | undefined

  /**
   * @param slots the most slots there can be
   * @throws OptionTypeError, OptionRangeError
   */
  constructor(options: LoadOptions = {}, slots: number = MAX_SLOTS) {
    this.#options = resolveLoadOptions(options)
    this.#coefficients = this.#options.coefficients
    this.#smoothing = newSmoothing(this.#options.smoothing, slots)
    this.#sampledAtMs = new Float64Array(slots).fill(Number.NEGATIVE_INFINITY)
    this.#counted = new Float64Array(slots).fill(Number.NaN)
  }

  /**
   * The worker's load, 0..100. About 10 ns by default; allocates nothing. With smoothing, a reading becomes a sample
   * when the last sample is a sample period old. Silence beyond the beat period counts at once and unsmoothed.
   */
  load(slot: number, reading: WorkerReading): number {
    if (this.#smoothing === undefined) return this.#current(reading)
    return this.#smoothed(slot, reading, this.#smoothing)
  }

  /**
   * Whether the load moved by more than the change threshold, so that the selection tables must be rebuilt. It is
   * compared with the last load that *counted*: a slow drift of small steps is seen once it adds up. The first load has
   * moved.
   */
  hasMoved(slot: number, load: number): boolean {
    const counted = this.#counted[slot]!
    if (Math.abs(load - counted) <= this.#options.changeThreshold) return false
    if (Number.isNaN(load) && Number.isNaN(counted)) return false
    this.#counted[slot] = load
    return true
  }

  /**
   * Takes effect with the next evaluation; undefined goes back to the default load.
   * @throws OptionTypeError, OptionRangeError: then nothing changes
   */
  setCoefficients(coefficients: LoadCoefficients | undefined): void {
    this.#coefficients = coefficients === undefined ? undefined : resolveCoefficients(coefficients)
  }

  /** Forgets the slot's worker: another one has the slot now. */
  reset(slot: number): void {
    this.#smoothing?.reset(slot)
    this.#sampledAtMs[slot] = Number.NEGATIVE_INFINITY
    this.#counted[slot] = Number.NaN
  }

  #current(reading: WorkerReading): number {
    const { fullLagMs, responseTargetMs, ceilings } = this.#options
    const process = processFactor(reading)
    const lag = lagFactor(reading, fullLagMs)
    const coefficients = this.#coefficients
    if (coefficients === undefined) return defaultLoad(process, lag)
    const factors = this.#factors
    factors[CPU] = cpuFactor(reading)
    factors[MEMORY] = memoryFactor(reading)
    factors[IO] = ioFactor(reading)
    factors[PROCESS] = process
    factors[RESPONSE] = responseFactor(reading, responseTargetMs)
    factors[LAG] = lag
    return weightedLoad(factors, coefficients, ceilings)
  }

  #smoothed(slot: number, reading: WorkerReading, smoothing: Smoothing): number {
    const { samplePeriodMs, fullLagMs } = this.#options
    const ageMs = reading.readAtMs - this.#sampledAtMs[slot]!
    let smoothed = smoothing.value(slot)
    if (ageMs >= samplePeriodMs) {
      // Nobody has asked for so long that the old samples say nothing about now.
      if (ageMs > samplePeriodMs * smoothing.span) smoothing.reset(slot)
      smoothed = smoothing.add(slot, this.#current(reading))
      this.#sampledAtMs[slot] = reading.readAtMs
    }
    return Math.max(smoothed, Math.min(100, (100 * silentMs(reading)) / fullLagMs))
  }
}
