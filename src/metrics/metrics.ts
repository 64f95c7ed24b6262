/** Metrics of a pool, for Prometheus and for the app itself. */

import { checkNumber, checkObject, checkString, ownOptions } from '../base/checks.js'
import { type Clock, systemClock, type Timer } from '../base/clock.js'
import { OptionTypeError } from '../base/errors.js'
import { EventTally } from './event-tally.js'
import { BoundedLabels, CONTENT_TYPES, FamilyMaker, formatFor, type MetricFamily, writeText } from './exposition.js'
import { LoopLag } from './loop-lag.js'
import type { ObservedPool } from './observed-pool.js'
import { buildInfo, type PoolFigures, poolFamilies } from './pool-families.js'
import { type MetricRegistry, register } from './prometheus-registry.js'
import { RecentDurations, type RecentTimes } from './recent-durations.js'
import { MAX_TASK_LABELS, taskFamilies } from './task-families.js'
import { LoopShares, workerFamilies } from './worker-families.js'

/** Default length of the window of the percentiles, ms. */
const WINDOW_MS = 60_000
/** The most priorities with a series of their own. All others share one. */
const MAX_PRIORITY_LABELS = 16

/** Options of `metrics`. */
export interface MetricsOptions {
  /** The pool's name, which every number has as its label `pool`. Default `evenkeel`. */
  readonly name?: string
  /** Length of the window of the percentiles, ms. Default 60,000. */
  readonly windowMs?: number
  /** A registry of prom-client to add the metrics to. `close` removes them. */
  readonly registry?: MetricRegistry
}

/** A text for a scraper. */
export interface MetricsPage {
  readonly contentType: string
  readonly text: string
}

/** Metrics of one pool, from `metrics` until `close`. */
export interface Metrics {
  /**
   * All metrics in Prometheus's text format, version 0.0.4. Reads shared memory; asks no worker. O(workers + task
   * names).
   */
  text(): string
  /** The text in the format that the `Accept` header asks for: OpenMetrics, or Prometheus's own. */
  page(accept?: string): MetricsPage
  /** Percentiles of the tasks in the window, ms. */
  recent(): RecentTimes
  /** Stops measuring and removes the metrics from the registry. */
  close(): void
}

/**
 * Watches a pool and gives its metrics on request. Nothing is done per task: the counts are the pool's own, and the
 * percentiles come from copies of its histograms. A timer takes the copies eight times a window; it never keeps the
 * process alive. Reading resets nothing, so any number of scrapers see the same. Call `close` when the pool is no
 * longer used.
 *
 * Throws a TypeError or RangeError with code `EVENKEEL_INVALID_OPTION` for invalid options.
 */
export function metrics(pool: ObservedPool, options: MetricsOptions = {}): Metrics {
  const own = ownOptions('', options, ['name', 'windowMs', 'registry'])
  const name = own.name === undefined ? 'evenkeel' : checkString('name', own.name)
  const windowMs = own.windowMs === undefined ? WINDOW_MS : checkNumber('windowMs', own.windowMs, 100, 86_400_000)
  return new PoolMetrics(pool, name, windowMs, own.registry as MetricRegistry | undefined, systemClock)
}

/** `metrics` with checked options and a given clock. */
export class PoolMetrics implements Metrics {
  readonly #pool: ObservedPool
  readonly #make: FamilyMaker
  readonly #recent: RecentDurations
  readonly #tally: EventTally
  readonly #mainLag = new LoopLag()
  readonly #taskLabels = new BoundedLabels(MAX_TASK_LABELS)
  readonly #priorities = new BoundedLabels(MAX_PRIORITY_LABELS, ['0'])
  readonly #loopShares: LoopShares
  readonly #clock: Clock
  readonly #lagTimer: Timer
  #unregister: (() => void) | undefined

  constructor(pool: ObservedPool, name: string, windowMs: number, registry: MetricRegistry | undefined, clock: Clock) {
    this.#pool = pool
    this.#clock = clock
    this.#loopShares = new LoopShares(windowMs)
    this.#make = new FamilyMaker(name)
    this.#recent = new RecentDurations(pool, windowMs, clock)
    this.#tally = new EventTally(pool, clock)
    this.#lagTimer = clock.every(windowMs / 2, () => this.#mainLag.nextSpan())
    this.#lagTimer.unref()
    try {
      if (registry !== undefined) this.#unregister = register(checkedRegistry(registry), () => this.families())
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Reads the pool once. O(workers). */
  figures(): PoolFigures {
    const snapshot = this.#pool.snapshot()
    const durations = this.#pool.durations()
    const recent = this.#recent.times(durations)
    return {
      snapshot,
      durations,
      recent,
      tally: this.#tally,
      mainLag: this.#mainLag.figures(),
      priorities: this.#priorities,
    }
  }

  families(): MetricFamily[] {
    const figures = this.figures()
    const nowMs = this.#clock.nowMs()
    return [
      ...taskFamilies(this.#make, this.#pool.taskCounts(), this.#taskLabels),
      ...poolFamilies(this.#make, figures),
      ...workerFamilies(this.#make, figures.snapshot, this.#tally, (worker) => this.#loopShares.of(worker, nowMs)),
      buildInfo(this.#make),
    ]
  }

  text(): string {
    return writeText(this.families(), 'prometheus')
  }

  page(accept?: string): MetricsPage {
    const format = formatFor(accept)
    return { contentType: CONTENT_TYPES[format], text: writeText(this.families(), format) }
  }

  recent(): RecentTimes {
    return this.figures().recent
  }

  close(): void {
    this.#unregister?.()
    this.#lagTimer.stop()
    this.#mainLag.close()
    this.#recent.close()
    this.#tally.close()
  }
}

function checkedRegistry(registry: MetricRegistry): MetricRegistry {
  const { registerMetric, removeSingleMetric } = checkObject('registry', registry)
  if (typeof registerMetric !== 'function' || typeof removeSingleMetric !== 'function') {
    throw new OptionTypeError('registry', 'expected a Registry of prom-client')
  }
  return registry
}
