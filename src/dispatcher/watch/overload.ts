/**
 * Reports when all workers are overloaded or underloaded for a while, once per crossing. During a lasting overload,
 * workers are added one by one.
 */

import { loadPidusage } from '../../base/packages.js'
import { defaultParallelism, memoryLimitBytes } from '../../base/parallelism.js'
import { PoolPressure, type ProcessReading } from '../../load/pool-pressure.js'
import { feedbackWeight } from '../../selection/weight-formulas.js'
import type { Crew } from '../crew/crew.js'
import type { DispatcherEvents } from '../options/events.js'
import type { WorkerView } from '../routing/worker-view.js'

/** Between two looks, ms. */
const PERIOD_MS = 100
/** Initial weight of every worker: half load is the target. */
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
    // Without a sample, because nobody would act on it. The first sample starts a process, which blocks the caller for
    // some 30 ms.
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
    // Only `idleMs` reduces the number of workers.
    if (event.kind === 'overload' && event.cause === 'weights') this.#crew.ensure(1)
  }
}

/** Time between two samples, ms. A sample reads /proc and takes some 0.1 ms, outside the main path. */
const SAMPLE_PERIOD_MS = 1_000

/**
 * CPU and memory of the whole process: equal for all workers, so they feed overload and underload, never a worker's
 * weight.
 */
export class ProcessFigures {
  #reading: ProcessReading = { cpuShare: 0, memoryShare: 0 }
  #sampledAtMs = Number.NEGATIVE_INFINITY
  #sampling = false

  /** The last sample. Takes the next one in the background when it is due. */
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
      const { cpu, memory } = await (await loadPidusage())(process.pid)
      this.#reading = {
        cpuShare: cpu / 100 / defaultParallelism(),
        memoryShare: memory / memoryLimitBytes(),
      }
    } catch {
      // Without a sample (no /proc, no ps), the weights decide alone.
    } finally {
      this.#sampling = false
    }
  }
}
