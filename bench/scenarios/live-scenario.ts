/** Live scenarios as data: what arrives, how long it takes, what goes wrong. Everything here is JSON. */

import type { WorkKind } from '../tasks.js'
import type { WorkerFault } from '../worker-faults.js'

/** Run times of tasks, ms. */
export type RunTimes =
  | { readonly kind: 'fixed'; readonly ms: number }
  | { readonly kind: 'exponential'; readonly meanMs: number }
  /** Heavy tail: P(longer than x) = (minMs / x) ^ alpha, cut off at maxMs. */
  | { readonly kind: 'pareto'; readonly alpha: number; readonly minMs: number; readonly maxMs: number }

/** One part of the mix. */
export interface TaskShare {
  readonly share: number
  readonly work: WorkKind
  readonly runTimes: RunTimes
  /** Sent with each task of this part and copied. */
  readonly payloadBytes?: number
}

export type Arrivals =
  | { readonly kind: 'poisson' }
  | { readonly kind: 'constant' }
  /** Poisson during `onMs`, nothing during `offMs`; the rate while on makes up for the rest. */
  | { readonly kind: 'bursty'; readonly onMs: number; readonly offMs: number }
  /** Poisson with a rate that grows evenly from the scenario's load to `toLoad`. */
  | { readonly kind: 'ramp'; readonly toLoad: number }

export type Fault =
  /** A task that blocks its worker is submitted `atMs` into the measured time. */
  | { readonly kind: 'block'; readonly work: Exclude<WorkKind, 'timer'>; readonly atMs: number; readonly ms: number }
  /** A task that ends its thread. */
  | { readonly kind: 'crash'; readonly atMs: number }
  | WorkerFault

export interface LiveScenario {
  readonly name: string
  readonly title: string
  readonly workers: number
  /** Part of the workers' time that the arrivals fill; the mean run time gives the rate. */
  readonly load: number
  readonly arrivals: Arrivals
  readonly mix: readonly TaskShare[]
  readonly fault?: Fault
  /** Workers have answered before the first arrival; false measures the start of the pool with it. */
  readonly warm: boolean
  /** Not counted. */
  readonly warmUpMs: number
  readonly measuredMs: number
}

export function meanRunMs(runTimes: RunTimes): number {
  switch (runTimes.kind) {
    case 'fixed':
      return runTimes.ms
    case 'exponential':
      return runTimes.meanMs
    case 'pareto': {
      const { alpha, minMs, maxMs } = runTimes
      // Values beyond the cut count as the cut: the integral up to it and the mass above.
      const below = (alpha * minMs) / (alpha - 1)
      return below * (1 - (minMs / maxMs) ** (alpha - 1)) + maxMs * (minMs / maxMs) ** alpha
    }
  }
}

/** Mean run time of the mix, ms. */
export const meanOfMix = (mix: readonly TaskShare[]): number =>
  mix.reduce((sum, part) => sum + part.share * meanRunMs(part.runTimes), 0)

/**
 * Tasks per second that fill the workers. Tasks that only wait for a timer leave their thread free: such a mix is
 * given `ioWindow` times the room.
 */
export function capacityPerSecond(scenario: LiveScenario, ioWindow: number): number {
  const heldMs = scenario.mix.reduce(
    (sum, part) => sum + (part.share * meanRunMs(part.runTimes)) / (part.work === 'timer' ? ioWindow : 1),
    0,
  )
  return (scenario.workers * 1_000) / heldMs
}
