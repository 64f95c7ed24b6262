/** What `evenkeel/metrics` exports. */

export type { DurationCounts } from './duration-counts.js'
export { type Publication, type PublishOptions, publishEvents } from './event-channels.js'
export { type Metrics, type MetricsOptions, type MetricsPage, metrics } from './metrics.js'
export type { ObservedPool, PoolDurations } from './observed-pool.js'
export type { MetricRegistry } from './prometheus-registry.js'
export type { RecentPercentiles, RecentTimes } from './recent-durations.js'
