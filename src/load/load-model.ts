/** From readings to loads, for all slots of a pool: what the dispatcher and the simulator run. */

import { ChangeThreshold } from './change-threshold.js'
import { defaultLoad, weightedLoad } from './composite.js'
import { cpuFactor } from './cpu-factor.js'
import { silentMs } from './effective-lag.js'
import { Ewma } from './ewma.js'
import { CPU, FACTOR_NAMES, IO, LAG, MEMORY, PROCESS, RESPONSE } from './factor-set.js'
import { ioFactor } from './io-factor.js'
import { lagFactor } from './lag-factor.js'
import {
  type LoadCoefficients,
  type LoadOptions,
  type LoadSmoothing,
  type ResolvedLoadOptions,
  resolveCoefficients,
  resolveLoadOptions,
} from './load-options.js'
import { memoryFactor } from './memory-factor.js'
import { processFactor } from './process-factor.js'
import { responseFactor } from './response-factor.js'
import { SlidingWindow } from './sliding-window.js'
import type { Smoothing } from './smoothing.js'
import type { WorkerReading } from './worker-reading.js'

/** The most workers a dispatcher may have. */
const MAX_SLOTS = 1_024

export class LoadModel {
  readonly #options: ResolvedLoadOptions
  readonly #factors = new Float64Array(FACTOR_NAMES.length)
  readonly #smoothing: Smoothing | undefined
  readonly #sampledAtMs: Float64Array
  readonly #changes: ChangeThreshold
  #coefficients: readonly number[] | undefined

  /**
   * @param slots how many slots there are at most
   * @throws OptionTypeError, OptionRangeError
   */
  constructor(options: LoadOptions = {}, slots: number = MAX_SLOTS) {
    this.#options = resolveLoadOptions(options)
    this.#coefficients = this.#options.coefficients
    this.#smoothing = newSmoothing(this.#options.smoothing, slots)
    this.#sampledAtMs = new Float64Array(slots).fill(Number.NEGATIVE_INFINITY)
    this.#changes = new ChangeThreshold(this.#options.changeThreshold, slots)
  }

  /**
   * The worker's load, 0..100. Some 10 ns by default; allocates nothing. With smoothing the reading becomes a sample
   * when the last one is a sample period old; silence beyond the beat period counts at once and unsmoothed.
   */
  load(slot: number, reading: WorkerReading): number {
    if (this.#smoothing === undefined) return this.#current(reading)
    return this.#smoothed(slot, reading, this.#smoothing)
  }

  /** Whether the load moved by more than the change threshold since it last did: what a rebuild waits for. */
  hasMoved(slot: number, load: number): boolean {
    return this.#changes.hasMoved(slot, load)
  }

  /**
   * Takes effect with the next evaluation; undefined goes back to the default load.
   * @throws OptionTypeError, OptionRangeError: nothing is changed then
   */
  setCoefficients(coefficients: LoadCoefficients | undefined): void {
    this.#coefficients = coefficients === undefined ? undefined : resolveCoefficients(coefficients)
  }

  /** Forgets what is known of the slot: another worker has it now. */
  reset(slot: number): void {
    this.#smoothing?.reset(slot)
    this.#sampledAtMs[slot] = Number.NEGATIVE_INFINITY
    this.#changes.reset(slot)
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
      // Nobody asked for so long that the old samples say nothing about now.
      if (ageMs > samplePeriodMs * smoothing.span) smoothing.reset(slot)
      smoothed = smoothing.add(slot, this.#current(reading))
      this.#sampledAtMs[slot] = reading.readAtMs
    }
    return Math.max(smoothed, Math.min(100, (100 * silentMs(reading)) / fullLagMs))
  }
}

function newSmoothing(smoothing: LoadSmoothing, slots: number): Smoothing | undefined {
  if (smoothing === 'none') return undefined
  if ('windowSamples' in smoothing) return new SlidingWindow(smoothing.windowSamples, slots)
  return new Ewma(smoothing.ewmaAlpha, slots)
}
