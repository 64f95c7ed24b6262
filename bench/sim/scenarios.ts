/**
 * The nine scenarios over which regret is taken: ten workers, a mean run time of 1 ms, reports every 5 ms unless
 * the name says otherwise. Each is a trouble that some rule of dispatch is known to handle badly.
 */

import type { ReportSpec, Scenario } from './scenario.js'

const REPORTS: ReportSpec = { periodMs: 5, synchronous: true }

const BASE = {
  workers: 10,
  arrivals: { kind: 'poisson' },
  service: { kind: 'exponential', meanMs: 1 },
  reports: REPORTS,
} as const

/** Like workers, heavy load. */
const HOMOGENEOUS: Scenario = { ...BASE, name: 'homogeneous', utilisation: 0.9 }

/** Half of the workers three times as fast as the other half. */
const HETEROGENEOUS: Scenario = { ...BASE, name: 'heterogeneous', utilisation: 0.8, speeds: [1.5, 0.5] }

/** One task in ten runs eleven times as long as the others (mean 1, squared variation 2.25). */
const BIMODAL: Scenario = {
  ...BASE,
  name: 'bimodal',
  utilisation: 0.8,
  service: { kind: 'bimodal', shortMs: 0.5, longMs: 5.5, longShare: 0.1 },
}

/** A worker freezes for 50 ms every 500 ms. */
const STALL: Scenario = { ...BASE, name: 'stall', utilisation: 0.7, stall: { everyMs: 500, durationMs: 50 } }

/** The same, with a gate that leaves out workers whose report is older than 12 ms. */
const GATED_STALL: Scenario = { ...STALL, name: 'stall, gated', reportAgeLimitMs: 12 }

/** A worker dies every 400 ms, is replaced after 20 ms, and is three times slower for the first 20 ms. */
const CRASH: Scenario = {
  ...BASE,
  name: 'crash',
  utilisation: 0.8,
  crash: { everyMs: 400, downMs: 20, coldFactor: 3, coldMs: 20 },
}

/** Reports ten times older than elsewhere. */
const OLD_REPORTS: Scenario = {
  ...BASE,
  name: 'old reports',
  utilisation: 0.9,
  reports: { periodMs: 50, synchronous: true },
}

/** Tasks come in geometric batches with a mean of 20. */
const BATCHES: Scenario = {
  ...BASE,
  name: 'batches',
  utilisation: 0.8,
  arrivals: { kind: 'batched', meanSize: 20 },
}

/** A worker that holds more than 40 tasks dies; a 60 ms freeze every 400 ms starts it. */
const DOMINO: Scenario = {
  ...BASE,
  name: 'domino',
  utilisation: 0.75,
  stall: { everyMs: 400, durationMs: 60 },
  domino: { backlog: 40, downMs: 40 },
}

export const scenarios: readonly Scenario[] = Object.freeze([
  HOMOGENEOUS,
  HETEROGENEOUS,
  BIMODAL,
  STALL,
  GATED_STALL,
  CRASH,
  OLD_REPORTS,
  BATCHES,
  DOMINO,
])

export function scenarioNamed(name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name)
  if (found === undefined) {
    throw new RangeError(`no scenario "${name}"; known are ${scenarios.map((each) => each.name).join(', ')}`)
  }
  return found
}
