/** Which of the measured settings to use for the user's workload. */

import { systemOf } from '../harness/compare-systems.js'
import type { ScenarioResult } from '../harness/report.js'
import { compareWithEvenkeel, referenceLabel } from '../report/comparisons.js'
import type { Comparison } from '../stats/verdict.js'

export interface Recommendation {
  /** Label of the system; the default's own when nothing was shown to be better. */
  readonly system: string
  /** Options to pass to the dispatcher. */
  readonly options: Readonly<Record<string, unknown>>
  readonly reason: string
  /** Latency and throughput of the recommended system against the default; absent when the default stays. */
  readonly latency?: Comparison
  readonly throughput?: Comparison
}

/**
 * The system whose p99 in the open loop is shown to be better than the default's, by the largest ratio, unless its
 * throughput is shown to be worse. Otherwise the default: a difference that is not shown is no reason to change.
 */
export function recommend(open: ScenarioResult, closed: ScenarioResult, seed: number): Recommendation {
  const latencies = compareWithEvenkeel(open, { measure: 'p99Ms', betterWhen: 'lower' }, seed)
  const rates = compareWithEvenkeel(closed, { measure: 'tasksPerSecond', betterWhen: 'higher' }, seed)
  const rateOf = (system: string): Comparison | undefined => rates.find((rate) => rate.system === system)
  const best = latencies
    .filter(({ system, verdict }) => verdict === 'better' && rateOf(system)?.verdict !== 'worse')
    .sort((a, b) => a.ratio - b.ratio)[0]
  if (best === undefined) {
    const reason =
      latencies.length === 0
        ? 'fewer than three valid repetitions of all systems: nothing can be compared'
        : 'no setting was shown to have a better p99 without costing throughput'
    return { system: referenceLabel, options: {}, reason }
  }
  const throughput = rateOf(best.system)
  const { module: _, ...options } = systemOf([open], open.name, best.system)?.settings ?? {}
  return {
    system: best.system,
    options,
    reason: `p99 is ${best.ratio.toFixed(3)} times the default's (95 % interval ${best.low.toFixed(3)} to ${best.high.toFixed(3)}, corrected p ${best.p.toFixed(3)})`,
    latency: best,
    ...(throughput === undefined ? {} : { throughput }),
  }
}
