/** Tables for a terminal. */

import type { BenchReport, Figure, GoalResult, ScenarioResult } from '../harness/report.js'
import type { Change } from './compare.js'

/** Rows under a header; the first column to the left, all others to the right. */
export function textTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)))
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] as number) : cell.padStart(widths[column] as number),
      )
      .join('  ')
      .trimEnd()
  return [line(header), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}

/** Four significant digits, thousands grouped; `-` for what was not measured. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return '-'
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(4)))
}

/** Median, and the range over the repetitions where there is more than one. */
function figureCell(figure: Figure | undefined): string {
  if (figure === undefined) return '-'
  const values = figure.values.filter((value) => value !== null)
  if (values.length < 2) return shortNumber(figure.median)
  return `${shortNumber(figure.median)} (${shortNumber(Math.min(...values))}..${shortNumber(Math.max(...values))})`
}

export function scenarioTable(result: ScenarioResult): string {
  const measures = [...new Set(result.systems.flatMap((system) => Object.keys(system.measures)))]
  const rows = result.systems.map((system) => [
    system.label,
    ...measures.map((measure) => figureCell(system.measures[measure])),
  ])
  return `${result.name}: ${result.title}\n\n${textTable(['system', ...measures], rows)}`
}

export function goalTable(goals: readonly GoalResult[]): string {
  const sign = (goal: GoalResult): string => (goal.bound === 'at least' ? '>=' : '<=')
  return textTable(
    ['figure', 'value', 'reach', 'aim', 'verdict'],
    goals.map((goal) => [
      goal.note === undefined ? goal.what : `${goal.what} (${goal.note})`,
      shortNumber(goal.value),
      `${sign(goal)} ${goal.reach}`,
      goal.aim === undefined ? '' : `${sign(goal)} ${goal.aim}`,
      goal.verdict,
    ]),
  )
}

export function reportText(report: BenchReport): string {
  const { environment, samples } = report
  const versions = Object.entries(environment.packages).map(
    ([name, version]) => `${name} ${version ?? 'not installed'}`,
  )
  const faults = [
    ...samples.invalid.map((fault) => ({ ...fault, kind: 'not believed' })),
    ...samples.failed.map((fault) => ({ ...fault, kind: 'failed' })),
  ]
  return [
    ...report.results.map(scenarioTable),
    ...(report.goals.length === 0 ? [] : [goalTable(report.goals)]),
    ...report.notInstalled.map((label) => `${label}: not installed`),
    `medians over repetitions, range in brackets; ${samples.valid} measurements valid, ${samples.invalid.length} not believed and ${report.acceptNoise ? 'kept all the same' : 'repeated'}, ${samples.failed.length} failed; seed ${report.seed}`,
    ...faults.map(
      (fault) =>
        `${fault.kind}: ${fault.scenario}, ${fault.systems.join(', ')}, repetition ${fault.repetition + 1}: ${fault.reasons.join('; ')}`,
    ),
    `Node ${environment.node}, ${environment.processors} x ${environment.cpuModel}, commit ${environment.commit ?? 'unknown'}; ${versions.join(', ')}`,
  ].join('\n\n')
}

export function changeTable(changes: readonly Change[], threshold: number): string {
  const rows = changes.map(({ scenario, system, measure, before, after, worseBy, verdict }) => [
    scenario,
    system,
    measure,
    shortNumber(before),
    shortNumber(after),
    `${worseBy > 0 ? '+' : ''}${(worseBy * 100).toFixed(1)} %`,
    verdict,
  ])
  const regressions = changes.filter((change) => change.verdict === 'regression').length
  const header = ['scenario', 'system', 'figure', 'before', 'after', 'worse by', 'verdict']
  return `${textTable(header, rows)}\n\n${regressions} of ${changes.length} figures became worse by more than ${threshold * 100} %`
}
