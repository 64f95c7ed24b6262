/**
 * Metrics in a registry of the app's own, so that one scrape brings them along with everything else. A registry takes
 * any object that has a name and can tell its values (prom-client 14 to 15: `registerMetric`), so nothing is imported.
 */

import { queueMicrotask } from '../base/timers.js'
import type { MetricFamily } from './metric-family.js'

/** What prom-client asks of a metric. */
interface RegisteredMetric {
  /** The registry drops the ending of a counter's name when it writes OpenMetrics. */
  name: string
  readonly help: string
  readonly type: string
  readonly aggregator: 'sum'
  get(): Promise<unknown>
  /** Counts are the pool's: the registry cannot reset them. */
  reset(): void
}

/** The part of prom-client's `Registry` that is used. */
export interface MetricRegistry {
  /** Takes a metric in; throws when it has another of that name. */
  // biome-ignore lint/suspicious/noExplicitAny: the registry's own type names classes that it does not need.
  registerMetric(metric: any): void
  /** Drops the metric of that name. */
  removeSingleMetric(name: string): void
}

type ReadFamilies = () => readonly MetricFamily[]

/** The pools of one registry: they share its metrics and differ in their labels. */
class RegistryPools {
  readonly #registry: MetricRegistry
  readonly #pools = new Set<ReadFamilies>()
  readonly #names = new Set<string>()
  /** What all pools told in this turn of the loop: a scrape asks for every metric by itself. */
  #read: readonly MetricFamily[] | undefined

  constructor(registry: MetricRegistry) {
    this.#registry = registry
  }

  add(read: ReadFamilies): () => void {
    this.#pools.add(read)
    try {
      for (const family of read()) this.#register(family)
    } catch (error) {
      this.#remove(read)
      throw error
    }
    return () => this.#remove(read)
  }

  #remove(read: ReadFamilies): void {
    this.#pools.delete(read)
    if (this.#pools.size > 0) return
    for (const name of this.#names) this.#registry.removeSingleMetric(name)
    this.#names.clear()
  }

  #register(family: MetricFamily): void {
    if (this.#names.has(family.name)) return
    const { name, help, type } = family
    const metric: RegisteredMetric = {
      name,
      help,
      type,
      aggregator: 'sum',
      get: async () => ({ name: metric.name, help, type, aggregator: 'sum', values: this.#values(name) }),
      reset: () => {},
    }
    this.#registry.registerMetric(metric)
    this.#names.add(name)
  }

  #values(name: string): object[] {
    if (this.#read === undefined) {
      this.#read = [...this.#pools].flatMap((read) => read())
      queueMicrotask(() => {
        this.#read = undefined
      })
    }
    return this.#read
      .filter((family) => family.name === name)
      .flatMap(({ samples }) =>
        samples.map(({ suffix, labels, value }) => ({
          ...(suffix === '' ? {} : { metricName: `${name}${suffix}` }),
          labels: { ...labels },
          value,
        })),
      )
  }
}

const pools = new WeakMap<MetricRegistry, RegistryPools>()

/** Adds a pool's metrics to the registry until the returned function is called. Several pools may share a registry. */
export function register(registry: MetricRegistry, read: ReadFamilies): () => void {
  let shared = pools.get(registry)
  if (shared === undefined) {
    shared = new RegistryPools(registry)
    pools.set(registry, shared)
  }
  return shared.add(read)
}
