/** The options of one dispatcher of a chaos run. */

import { type RandomSource, seededRandom } from '../../src/base/random.js'
import type { DispatcherOptions, StrategyName } from '../../src/index.js'

const STRATEGIES: readonly StrategyName[] = [
  'range-table',
  'two-choices',
  'round-robin',
  'consistent-hash',
  'least-loaded',
]

/** At most so many starts of tasks behind the gate `capped` in any stretch of so many ms. */
export const CAPPED = { intervalCap: 5, intervalMs: 40 } as const

export type PoolOptions = Omit<DispatcherOptions, 'module' | 'workerData' | 'strategy'> & {
  readonly strategy: StrategyName
}

export const pick = <T>(random: RandomSource, values: readonly T[]): T => values[Math.floor(random() * values.length)]!

export function drawPoolOptions(random: RandomSource): PoolOptions {
  return {
    workers: random() < 0.3 ? { min: 1, max: 4 } : pick(random, [1, 2, 3, 4]),
    strategy: pick(random, STRATEGIES),
    mode: random() < 0.15 ? 'push' : 'central',
    takeBack: random() < 0.85,
    window: pick(random, [undefined, undefined, undefined, 1, 8, 256]),
    ioWindow: pick(random, [64, 64, 1, 5]),
    maxQueue: random() < 0.15 ? 200 : Number.POSITIVE_INFINITY,
    maxTasksPerWorker: random() < 0.2 ? 200 : Number.POSITIVE_INFINITY,
    stallKillMs: random() < 0.15 ? 250 : Number.POSITIVE_INFINITY,
    gates: { few: { concurrency: pick(random, [1, 3, 20]) }, capped: CAPPED },
    stallMs: 100,
    graceMs: pick(random, [0, 20, 250]),
    closeTimeoutMs: pick(random, [30_000, 30_000, 200]),
    idleMs: 50,
    ...(random() < 0.3 && { resourceLimits: { stackSizeMb: 0.6 } }),
    random: seededRandom(random() * 2 ** 32),
  }
}
