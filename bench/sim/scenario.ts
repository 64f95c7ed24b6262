/**
 * What happens to a simulated pool, as plain data: what arrives, how fast workers are, what goes wrong. Which
 * dispatch answers it is not part of a scenario. Times are milliseconds; the scenarios of the catalogue use a mean
 * run time of 1 ms, so there a millisecond is also one service time.
 */

import type { ArrivalSpec } from './arrivals.js'
import type { ServiceSpec } from './service-times.js'

export interface ReportSpec {
  /** Every worker writes its queue depth this often; 0 means that reports are never stale. */
  readonly periodMs: number
  /** Whether all workers report at the same instants; otherwise each has its own random phase. */
  readonly synchronous: boolean
}

/** One randomly chosen worker freezes for `durationMs` every `everyMs`; it neither works nor reports. */
export interface StallSpec {
  readonly everyMs: number
  readonly durationMs: number
}

/** One randomly chosen worker dies every `everyMs`; its replacement is up after `downMs` and slow for `coldMs`. */
export interface CrashSpec {
  readonly everyMs: number
  readonly downMs: number
  /** Run times are this many times longer while cold. */
  readonly coldFactor: number
  readonly coldMs: number
}

/** A worker that holds more than `backlog` tasks dies and is up again after `downMs`. */
export interface DominoSpec {
  readonly backlog: number
  readonly downMs: number
}

/** One worker answers every task with a failure after `failMs`. */
export interface SinkholeSpec {
  readonly worker: number
  readonly failMs: number
}

export interface Scenario {
  readonly name: string
  readonly workers: number
  /** Arriving work as a share of what all workers together can do. */
  readonly utilisation: number
  readonly arrivals: ArrivalSpec
  readonly service: ServiceSpec
  /** Speed by worker, repeated when shorter than `workers`; absent: all 1. */
  readonly speeds?: readonly number[]
  readonly reports: ReportSpec
  readonly stall?: StallSpec
  readonly crash?: CrashSpec
  readonly domino?: DominoSpec
  readonly sinkhole?: SinkholeSpec
  /** Push dispatch leaves out workers whose last report is older than this; absent: it does not look. */
  readonly reportAgeLimitMs?: number
}

/** Delays between dispatcher and workers, one way. */
export interface Delays {
  readonly dispatchMs: number
  readonly answerMs: number
  /** From the decision to take a task back until the claim word is tried. */
  readonly takeBackMs: number
}

export const NO_DELAYS: Delays = Object.freeze({ dispatchMs: 0, answerMs: 0, takeBackMs: 0 })

export function speedOf(scenario: Scenario, worker: number): number {
  const { speeds } = scenario
  return speeds === undefined || speeds.length === 0 ? 1 : speeds[worker % speeds.length]!
}
