/** The tables of the report, as data: HTML and Markdown print the same ones. */

import type { BenchReport, ScenarioResult } from '../harness/report.js'
import { verdictOf } from '../stats/verdict.js'
import { compareWithEvenkeel, type MainMeasure, mainMeasureOf, referenceLabel } from './comparisons.js'
import { openLoops, regretTable } from './regret.js'
import { shortNumber } from './text-table.js'

export type CellTone = 'better' | 'worse' | undefined

export interface Cell {
  readonly text: string
  /** Set only where the difference is shown: coloured in HTML, marked in Markdown. */
  readonly tone?: CellTone
}

export interface Section {
  readonly title: string
  readonly note?: string
  readonly header: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
}

const cell = (text: string): Cell => ({ text })

function verdicts(
  report: BenchReport,
): { result: ScenarioResult; main: MainMeasure; comparisons: ReturnType<typeof compareWithEvenkeel> }[] {
  return report.results.flatMap((result) => {
    const main = mainMeasureOf(result)
    if (main === undefined) return []
    return [{ result, main, comparisons: compareWithEvenkeel(result, main, report.seed) }]
  })
}

function overview(report: BenchReport): Section {
  const judged = verdicts(report)
  const labels = [...new Set(report.results.flatMap((result) => result.systems.map((system) => system.label)))]
  return {
    title: 'All scenarios',
    note: `Median over repetitions of the scenario's figure, and in brackets its ratio to ${referenceLabel}. A cell has a colour only where the difference from ${referenceLabel} is shown (Holm-corrected p below 0.05 and more than 2 %).`,
    header: ['system', ...judged.map(({ result, main }) => `${result.name}, ${main.measure}`)],
    rows: labels.map((label) => [
      cell(label),
      ...judged.map(({ result, main, comparisons }): Cell => {
        const median = result.systems.find((system) => system.label === label)?.measures[main.measure]?.median
        if (median === undefined) return cell('')
        const compared = comparisons.find((comparison) => comparison.system === label)
        if (compared === undefined) return cell(shortNumber(median))
        const tone = compared.verdict === 'better' || compared.verdict === 'worse' ? compared.verdict : undefined
        return { text: `${shortNumber(median)} (${compared.ratio.toFixed(2)})`, tone }
      }),
    ]),
  }
}

/** What may be better than evenkeel: with few repetitions a corrected p cannot show it, so the interval is enough here. */
function losses(report: BenchReport): Section {
  const rows = verdicts(report).flatMap(({ result, main, comparisons }) =>
    comparisons
      .filter((comparison) => verdictOf(comparison, 0, main.betterWhen) === 'better')
      .map(({ system, ratio, low, high, p, verdict }) =>
        [
          result.name,
          main.measure,
          system,
          ratio.toFixed(3),
          `${low.toFixed(3)} to ${high.toFixed(3)}`,
          p.toFixed(3),
          verdict === 'better' ? 'yes' : 'no',
        ].map(cell),
      ),
  )
  return {
    title: 'Where evenkeel loses',
    note:
      rows.length === 0
        ? 'No system has an interval that lies wholly on the better side, in any scenario measured often enough to tell (three repetitions or more).'
        : 'Systems whose 95 % bootstrap interval of the median of paired ratios to evenkeel lies more than 2 % on the better side. "Shown" are those whose corrected p is below 0.05 too; five repetitions of more than six systems cannot give one so small.',
    header: ['scenario', 'figure', 'better system', 'ratio', 'interval', 'p', 'shown'],
    rows,
  }
}

function regret(report: BenchReport): Section {
  return {
    title: 'Regret',
    note: "The largest ratio of a system's p99 to that of the best system, over the open-loop scenarios it took part in.",
    header: ['system', 'worst ratio', 'in scenario', 'scenarios'],
    rows: regretTable(openLoops(report.results), 'p99Ms').map(({ system, worst, scenario, scenarios }) =>
      [system, worst.toFixed(2), scenario, String(scenarios)].map(cell),
    ),
  }
}

function scenarioSection(result: ScenarioResult): Section {
  const measures = [...new Set(result.systems.flatMap((system) => Object.keys(system.measures)))]
  return {
    title: result.name,
    note: `${result.title}; ${result.repetitions} repetitions; medians.`,
    header: ['system', ...measures],
    rows: result.systems.map((system) => [
      cell(system.label),
      ...measures.map((measure) => cell(shortNumber(system.measures[measure]?.median ?? Number.NaN))),
    ]),
  }
}

function goals(report: BenchReport): Section {
  return {
    title: 'Goals',
    header: ['figure', 'value', 'reach', 'aim', 'verdict', 'note'],
    rows: report.goals.map((goal) => {
      const sign = goal.bound === 'at least' ? 'at least' : 'at most'
      const aim = goal.aim === undefined ? '' : `${sign} ${goal.aim}`
      return [goal.what, shortNumber(goal.value), `${sign} ${goal.reach}`, aim, goal.verdict, goal.note ?? ''].map(cell)
    }),
  }
}

function environment(report: BenchReport): Section {
  const { packages, ...machine } = report.environment
  return {
    title: 'Environment',
    note: `Command: bench ${report.command}${report.quick ? ' --quick' : ''} --seed ${report.seed}; started ${report.startedAt}, took ${Math.round(report.wallMs / 1_000)} s.`,
    header: ['what', 'value'],
    rows: [
      ...Object.entries(machine).map(([name, value]) => [cell(name), cell(value === null ? 'unknown' : String(value))]),
      ...Object.entries(packages).map(([name, version]) => [cell(name), cell(version ?? 'not installed')]),
    ],
  }
}

function faults(report: BenchReport): Section {
  const { valid, invalid, failed } = report.samples
  const row = (kind: string) => (fault: (typeof invalid)[number]) =>
    [
      kind,
      fault.scenario,
      fault.systems.join(', '),
      String(fault.repetition + 1),
      fault.reasons.join('; ').split('\n')[0] as string,
    ].map(cell)
  return {
    title: 'Measurements that do not count',
    note: `${valid} measurements are valid, ${invalid.length} were not believed${report.acceptNoise ? ' but kept, so this report is a look and no finding' : ' and repeated'}, ${failed.length} failed.`,
    header: ['kind', 'scenario', 'system', 'repetition', 'reason'],
    rows: [...invalid.map(row('not believed')), ...failed.map(row('failed'))],
  }
}

/** What a report says first: one sentence. */
export function answerOf(report: BenchReport): string {
  if (report.answer !== undefined) return report.answer
  const table = regretTable(openLoops(report.results), 'p99Ms')
  const own = table.find((entry) => entry.system === referenceLabel)
  const best = table.find((entry) => entry.system !== referenceLabel && entry.scenarios >= (own?.scenarios ?? 0))
  if (own === undefined) {
    const reached = report.goals.filter(({ verdict }) => verdict === 'reached' || verdict === 'aim reached')
    return `${reached.length} of ${report.goals.length} goals were reached; nothing was measured in an open loop.`
  }
  const rest =
    best === undefined
      ? ''
      : `; of the systems in all the same scenarios the next is ${best.system} with ${best.worst.toFixed(2)} (${best.scenario})`
  return `evenkeel's p99 is at worst ${own.worst.toFixed(2)} times that of the best system (${own.scenario})${rest}.`
}

export function sectionsOf(report: BenchReport): { first: Section[]; scenarios: Section[]; last: Section[] } {
  return {
    first: [overview(report), ...(report.goals.length === 0 ? [] : [goals(report)]), regret(report), losses(report)],
    scenarios: report.results.map(scenarioSection),
    last: [environment(report), faults(report)],
  }
}
