/** The workers as a strategy sees them: a `LoadView` over the live board. */

import type { Clock } from '../../base/clock.js'
import { loopUtilisation } from '../../engine/supervisor.js'
import { LoadModel } from '../../load/load-model.js'
import type { LoadOptions } from '../../load/load-options.js'
import { newWorkerReading, type WorkerReading } from '../../load/worker-reading.js'
import type { LoadView } from '../../selection/load-view.js'
import type { PoolWorker } from '../crew/pool-worker.js'
import { MAX_WORKERS, type ResolvedOptions } from '../options/options.js'
import { UNKNOWN_RUN_MS } from '../tasks/task-stats.js'
import { windowTasks } from './window.js'

/**
 * In push mode a queue has no bound. A reported load of 100 then means ten tasks, as in the published simulations of
 * stale reports. With the two or three tasks of a window, all workers of a loaded pool would report the same.
 */
const PUSH_ROOM = 9
/** Between two readings of the threads' utilisation, ms. */
const UTILISATION_PERIOD_MS = 200
/** Weight of one task in a worker's smoothed response time. */
const RESPONSE_WEIGHT = 1 / 16

export class WorkerView implements LoadView {
  readonly #workers: readonly PoolWorker[]
  readonly #options: ResolvedOptions
  #nextUtilisationMs = 0
  readonly #clock: Clock
  /** Loads by the dispatcher's own counts. */
  readonly #model: LoadModel
  /** Loads by the workers' reports. A model of its own, because smoothing keeps samples per slot. */
  readonly #reportedModel: LoadModel
  /** Whether other factors than queue depth and lag have a weight, so that they must be measured. */
  weighted: boolean
  /** 1 for each worker that may be picked for the current task. */
  readonly candidate: Uint8Array
  version = 0
  /** Reported loads at their last change. */
  readonly #reported = new Float64Array(MAX_WORKERS)
  readonly #reading = newWorkerReading()

  constructor(workers: readonly PoolWorker[], options: ResolvedOptions, clock: Clock) {
    this.#workers = workers
    this.#options = options
    this.#clock = clock
    this.#model = new LoadModel(options.load)
    this.#reportedModel = new LoadModel(options.load)
    this.weighted = options.load.coefficients !== undefined
    this.candidate = new Uint8Array(MAX_WORKERS)
  }

  get size(): number {
    return this.#workers.length
  }

  isCandidate(index: number): boolean {
    return this.candidate[index] === 1
  }

  outstanding(index: number): number {
    return this.#workers[index].outstanding
  }

  load(index: number): number {
    const worker = this.#workers[index]
    const { lane } = worker
    if (lane === undefined) return 0
    return this.#model.load(index, this.#read(worker, lane.cpu.size, lane.io.size, worker.silentMs))
  }

  reportedLoad(index: number): number {
    const worker = this.#workers[index]
    const { lane } = worker
    if (lane === undefined) return 0
    const reading = this.#read(worker, lane.row.reportedCpu, lane.row.reportedIo, 0)
    if (this.#options.mode === 'push') reading.cpuRoom = PUSH_ROOM
    const load = this.#reportedModel.load(index, reading)
    // A change below the threshold keeps the last load, so that noise does not rebuild tables.
    if (this.#reportedModel.hasMoved(index, load)) this.#reported[index] = load
    return this.#reported[index]
  }

  reportedDepth(index: number): number {
    const { lane } = this.#workers[index]
    return lane === undefined ? 0 : lane.row.reportedCpu + lane.row.reportedIo
  }

  reportAgeMs(index: number): number {
    const { lane } = this.#workers[index]
    return lane === undefined ? 0 : Math.max(0, lane.row.beatAgeMs(this.#clock.nowMs()))
  }

  setCoefficients(coefficients: LoadOptions['coefficients']): void {
    this.#model.setCoefficients(coefficients)
    this.#reportedModel.setCoefficients(coefficients)
    this.weighted = coefficients !== undefined
    this.version++
  }

  /** Measures what the configured factors need. Called by the tick. */
  measure(nowMs: number): void {
    if (!this.weighted || nowMs < this.#nextUtilisationMs) return
    const windowMs = nowMs - (this.#nextUtilisationMs - UTILISATION_PERIOD_MS)
    this.#nextUtilisationMs = nowMs + UTILISATION_PERIOD_MS
    for (const worker of this.#workers) {
      if (worker.thread === undefined) continue
      const loop = worker.thread.loopTime()
      worker.utilisation = worker.measuredLoop === undefined ? 0 : loopUtilisation(worker.measuredLoop, loop)
      worker.measuredLoop = loop
      worker.utilisationWindowMs = Math.min(windowMs, 2 * UTILISATION_PERIOD_MS)
    }
  }

  /** A task was answered `responseMs` after it was posted. */
  answeredAfter(worker: PoolWorker, responseMs: number): void {
    worker.responseMs += (responseMs - worker.responseMs) * (worker.responseMs === 0 ? 1 : RESPONSE_WEIGHT)
  }

  /** Another thread has the slot: facts of the last one are forgotten. */
  replaced(slot: number): void {
    this.#model.reset(slot)
    this.#reportedModel.reset(slot)
    this.version++
  }

  /** Share of the default range table that the worker owns, 0..1. */
  shares(): number[] {
    const widths = this.#workers.map((worker) => (worker.isReady ? (101 - this.load(worker.slot)) ** 2 : 0))
    const total = widths.reduce((sum, width) => sum + width, 0)
    return widths.map((width) => (total === 0 ? 0 : width / total))
  }

  #read(worker: PoolWorker, cpuOutstanding: number, ioOutstanding: number, silentMs: number): WorkerReading {
    const lane = worker.lane!
    const reading = this.#reading
    const meanMs = lane.cpu.size === 0 ? UNKNOWN_RUN_MS : lane.expectedMs / lane.cpu.size
    reading.cpuOutstanding = cpuOutstanding
    reading.cpuRoom = windowTasks(this.#options, meanMs)
    reading.ioOutstanding = ioOutstanding
    reading.ioWindow = this.#options.ioWindow
    reading.reportedLagMs = lane.outstanding === 0 ? 0 : lane.row.reportedLagMs
    reading.stampAgeMs = silentMs
    reading.utilisation = worker.utilisation
    reading.utilisationWindowMs = worker.utilisationWindowMs
    reading.heapUsedBytes = lane.row.heapUsedBytes
    reading.heapLimitBytes = lane.row.heapLimitBytes
    reading.responseMs = worker.responseMs
    reading.readAtMs = worker.readAtMs
    return reading
  }
}
