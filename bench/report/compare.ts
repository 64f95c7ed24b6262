/** Two reports of the same command: what became worse? */

import { type BenchReport, type Figure, reportSchema } from '../harness/report.js'
import { median } from '../stats/quantiles.js'
import { mainMeasureOf } from './comparisons.js'

export interface Change {
  readonly scenario: string
  readonly system: string
  readonly measure: string
  readonly before: number
  readonly after: number
  /** How much worse, as a share: 0.1 is 10 % slower or 10 % less; negative is better. */
  readonly worseBy: number
  readonly verdict: 'regression' | 'improvement' | 'within threshold' | 'scattered'
}

/** Thrown for a file that is no report, or one of another version. */
export class ReportFormatError extends Error {}

export function parseReport(text: string, name: string): BenchReport {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ReportFormatError(`${name} is no JSON: ${(error as Error).message}`)
  }
  const schema = (value as { schema?: unknown } | null)?.schema
  if (schema !== reportSchema) {
    throw new ReportFormatError(`${name}: expected a report with schema ${reportSchema}, got ${JSON.stringify(schema)}`)
  }
  return value as BenchReport
}

/** Ratios of all values after to the median before: a change is one when most repetitions agree on it. */
function worseShares(before: Figure, after: Figure, lowerIsBetter: boolean): number[] {
  const base = median(before.values.filter((value) => value !== null))
  return after.values
    .filter((value) => value !== null)
    .map((value) => (lowerIsBetter ? value / base - 1 : base / value - 1))
}

/**
 * Compares the main figure of every scenario and system that both reports have. A change counts when its median is
 * past the threshold and three of four repetitions are on that side of it; otherwise it is called scattered.
 */
export function compareReports(before: BenchReport, after: BenchReport, threshold: number): Change[] {
  const changes: Change[] = []
  for (const result of after.results) {
    const main = mainMeasureOf(result)
    const earlier = before.results.find((other) => other.name === result.name)
    if (main === undefined || earlier === undefined) continue
    for (const system of result.systems) {
      const now = system.measures[main.measure]
      const then = earlier.systems.find((other) => other.label === system.label)?.measures[main.measure]
      if (now === undefined || then === undefined) continue
      const shares = worseShares(then, now, main.betterWhen === 'lower')
      const worseBy = median(shares)
      if (Number.isNaN(worseBy)) continue
      const agreeing = shares.filter((share) => (worseBy > 0 ? share > threshold : share < -threshold)).length
      const passes = Math.abs(worseBy) > threshold
      changes.push({
        scenario: result.name,
        system: system.label,
        measure: main.measure,
        before: then.median,
        after: now.median,
        worseBy,
        verdict: !passes
          ? 'within threshold'
          : agreeing < 0.75 * shares.length
            ? 'scattered'
            : worseBy > 0
              ? 'regression'
              : 'improvement',
      })
    }
  }
  return changes
}
