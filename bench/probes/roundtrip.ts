/**
 * One task at a time: the time from `run` to its answer. An idle thread needs 15 to 107 µs to wake up, and which it is
 * depends on the state of the machine, so all systems take turns within one loop and only their ratios count.
 */

import { seededRandom } from '../../src/base/random.js'
import type { Probe } from '../harness/sample.js'
import { median } from '../stats/quantiles.js'
import { type AlternateBlocks, alternately } from './alternately.js'

export const probeRoundtrip: Probe = async ({ systems, parameters, seed }) => {
  const times = await alternately(
    systems,
    parameters as unknown as AlternateBlocks,
    seededRandom(seed),
    async (pool) => {
      const startMs = performance.now()
      await pool.run('noop', 0)
      return (performance.now() - startMs) * 1_000
    },
  )
  return {
    systems: Object.fromEntries(
      Object.entries(times).map(([label, timesUs]) => [label, { measures: { roundTripUs: median(timesUs) } }]),
    ),
  }
}
