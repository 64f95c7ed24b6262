/**
 * Tells when all workers are overloaded, or underloaded, for a while: an event per crossing. An overload that lasts
 * starts one worker after the other.
 */

import { defaultParallelism, memoryLimitBytes } from '../../base/parallelism.js'
import { PoolPressure, type ProcessReading } from '../../load/pool-pressure.js'
import { feedbackWeight } from '../../selection/weight-formulas.js'
import type { Crew } from '../crew/crew.js'
import type { DispatcherEvents } from '../options/events.js'
import type { WorkerView } from '../routing/worker-view.js'

/** Between two looks, ms. */
const PERIOD_MS = 100
/** Every worker's initial weight: half loaded is as busy as it should be. */
const INITIAL_WEIGHT = 0.5
const COEFFICIENTS = { amplification: 1, gain: 1 }

export class OverloadWatch {
  readonly #crew: Crew
  readonly #view: WorkerView
  readonly #emit: <Name extends 'overload' | 'underload'>(name: Name, ...args: DispatcherEvents[Name]) => void
  readonly #waiting: () => number
  readonly #hasListeners: () => boolean
  readonly #pressure: PoolPressure
  readonly #process = new ProcessFigures()
  #nextLookMs = 0

  constructor(
    crew: Crew,
    view: WorkerView,
    holdMs: number,
    emit: <Name extends 'overload' | 'underload'>(name: Name, ...args: DispatcherEvents[Name]) => void,
    waiting: () => number,
    hasListeners: () => boolean,
  ) {
    this.#hasListeners = hasListeners
    this.#crew = crew
    this.#view = view
    this.#emit = emit
    this.#waiting = waiting
    this.#pressure = new PoolPressure(holdMs)
  }

  look(nowMs: number): void {
    if (nowMs < this.#nextLookMs) return
    const { min, max } = this.#crew.range
    // Nobody would act on it: the first sample alone starts a process, which holds the caller up for some 30 ms.
    if (min === max && !this.#hasListeners()) return
    this.#nextLookMs = nowMs + PERIOD_MS
    const { workers } = this.#crew
    const event = this.#pressure.observe(
      {
        size: workers.length,
        initialWeight: (slot) => (workers[slot].isReady ? INITIAL_WEIGHT : 0),
        weight: (slot) => feedbackWeight(INITIAL_WEIGHT, 1 - this.#view.load(slot) / 100, COEFFICIENTS),
      },
      this.#process.read(nowMs),
      nowMs,
    )
    if (event === undefined) return
    if (event.isCrossing) this.#emit(event.kind, { workers: this.#crew.ready, queued: this.#waiting() })
    // Fewer workers are the business of `idleMs` alone.
    if (event.kind === 'overload' && event.cause === 'weights') this.#crew.ensure(1)
  }
}

/** Between two samples, ms. A sample reads /proc and costs some 0.1 ms off the main path. */
const SAMPLE_PERIOD_MS = 1_000

/** CPU and memory of the whole process: equal for all workers, so they feed overload and underload, never a worker's weight. */
export class ProcessFigures {
  #reading: ProcessReading = { cpuShare: 0, memoryShare: 0 }
  #sampledAtMs = Number.NEGATIVE_INFINITY
  #sampling = false

  /** The last sample; takes the next in the background when that is due. */
  read(nowMs: number): ProcessReading {
    if (nowMs - this.#sampledAtMs >= SAMPLE_PERIOD_MS && !this.#sampling) {
      this.#sampledAtMs = nowMs
      this.#sampling = true
      void this.#sample()
    }
    return this.#reading
  }

  async #sample(): Promise<void> {
    try {
      const { default: pidusage } = await import('pidusage')
      const { cpu, memory } = await pidusage(process.pid)
      this.#reading = {
        cpuShare: cpu / 100 / defaultParallelism(),
        memoryShare: memory / memoryLimitBytes(),
      }
    } catch {
      // Without a reading (no /proc, no ps) the weights alone decide.
    } finally {
      this.#sampling = false
    }
  }
}
