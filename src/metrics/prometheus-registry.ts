/**
 * Metrics in the app's own registry, so that one scrape has them along with everything else. A registry takes any
 * object with a name and a `get` (prom-client 14 to 15: `registerMetric`), so nothing is imported.
 */

import { queueMicrotask } from '../base/timers.js'
import type { MetricFamily } from './exposition.js'

/** What prom-client needs of a metric. */
interface RegisteredMetric {
  /** The registry removes a counter's `_total` when it writes OpenMetrics. */
  name: string
  readonly help: string
  readonly type: string
  readonly aggregator: 'sum'
  get(): Promise<unknown>
  /** Does nothing: the counts are the pool's, and the registry cannot reset them. */
  reset(): void
}

/** The used part of prom-client's `Registry`. */
export interface MetricRegistry {
  /** Adds a metric. Throws when there is one of that name. */
  registerMetric(metric: object): void
  /** Removes the metric of that name. */
  removeSingleMetric(name: string): void
}

type ReadFamilies = () => readonly MetricFamily[]

/** The pools of one registry. They share its metrics and differ in their labels. */
class RegistryPools {
  readonly #registry: MetricRegistry
  readonly #pools = new Set<ReadFamilies>()
  readonly #names = new Set<string>()
  /** The metrics of all pools, read once per turn of the event loop: a scrape asks for every metric one by one. */
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

/** Adds a pool's metrics to the registry. The returned function removes them. Several pools may share a registry. */
export function register(registry: MetricRegistry, read: ReadFamilies): () => void {
  let shared = pools.get(registry)
  if (shared === undefined) {
    shared = new RegistryPools(registry)
    pools.set(registry, shared)
  }
  return shared.add(read)
}
