import type { BenchReport } from '../../../bench/harness/report.js'
import { liveScenarios } from '../../../bench/scenarios/catalogue.js'
import { madeUpQuantiles, madeUpReport, madeUpScenario, madeUpSystem } from './made-up-report.js'

/** Names as long and as many as a full run has. */
const labels = [
  'evenkeel',
  'evenkeel least-outstanding',
  'evenkeel push round-robin',
  'piscina disabled c=1',
  'poolifier INTERLEAVED_WEIGHTED_ROUND_ROBIN',
  'poolifier LEAST_USED',
  'tinypool',
  'workerpool',
  'raw threads',
  'floor',
  'a system named <b>&"',
  'piscina lag-aware',
]

const heat = (factor: number): number[] => Array.from({ length: 60 }, (_, bin) => Math.round(factor * (bin % 7)))

/** A report of a full run with every live scenario, several repetitions and a fault. */
export function madeUpRun(): BenchReport {
  const live = liveScenarios.map((scenario, at) =>
    madeUpScenario(
      scenario.name,
      labels.map((label, rank) => {
        const p99 = (at + 3) * (rank + 1)
        const series = {
          quantilesMs: madeUpQuantiles(rank + 1),
          ...(scenario.fault === undefined ? {} : { 'worker 0': heat(rank), 'worker 1': heat(2), 'worker 2': heat(1) }),
        }
        return madeUpSystem(label, { p99Ms: [p99, p99 * 1.1, p99 * 0.9], tasksPerSecond: [100, 101, 99] }, series)
      }),
      { parameters: { ...scenario } },
    ),
  )
  const closed = madeUpScenario(
    'closed loop',
    labels.map((label, rank) =>
      madeUpSystem(label, { tasksPerSecond: [1e6 / (rank + 1), 9e5 / (rank + 1), 1e6 / (rank + 1)] }),
    ),
    { probe: 'closed-loop' },
  )
  const fault = {
    scenario: 'uniform',
    systems: ['tinypool'],
    repetition: 1,
    attempt: 1,
    reasons: ['stolen <processor> time'],
  }
  return madeUpReport([closed, ...live], {
    samples: { valid: 100, invalid: [fault], failed: [] },
    goals: [{ what: 'a goal', value: 2, bound: 'at least', reach: 1, aim: 3, verdict: 'reached', values: [2] }],
  })
}
