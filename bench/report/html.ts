/** The report as one HTML file that needs nothing else: no script, no font, no picture from elsewhere. */

import type { BenchReport, ScenarioResult } from '../harness/report.js'
import type { LiveScenario } from '../scenarios/live-scenario.js'
import { barChart, heatMap, loadCurve, percentilePlot } from './plots.js'
import { answerOf, type Section, sectionsOf } from './sections.js'
import { escapeText } from './svg-frame.js'

const style = `
body { font: 15px/1.5 system-ui, sans-serif; color: #1c1c1c; background: #ffffff; max-width: 1100px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.6em; } h2 { font-size: 1.2em; margin-top: 2em; border-bottom: 1px solid #d0d0d0; }
.answer { font-size: 1.15em; } .note { color: #4d4d4d; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px; }
th, td { border: 1px solid #dcdcdc; padding: 3px 8px; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } th { background: #f4f4f4; }
td.better { background: #ffe3e0; } td.worse { background: #def3e6; }
figure { margin: 1em 0; overflow-x: auto; } figcaption { color: #4d4d4d; }
svg { max-width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg .grid { stroke: #e6e6e6; } svg .frame { fill: none; stroke: #9a9a9a; }
`

function sectionHtml({ title, note, header, rows }: Section): string {
  const head = header.map((text) => `<th>${escapeText(text)}</th>`).join('')
  const body = rows.map(
    (row) =>
      `<tr>${row.map(({ text, tone }) => `<td${tone === undefined ? '' : ` class="${tone}"`}>${escapeText(text)}</td>`).join('')}</tr>`,
  )
  const table =
    rows.length === 0
      ? ''
      : `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
  return `<h2>${escapeText(title)}</h2>${note === undefined ? '' : `<p class="note">${escapeText(note)}</p>`}${table}`
}

const figure = (svg: string | undefined, caption: string): string =>
  svg === undefined ? '' : `<figure>${svg}<figcaption>${escapeText(caption)}</figcaption></figure>`

/** Where a worker was blocked, in the time of the heat map. */
function blockOf(result: ScenarioResult): { fromMs: number; toMs: number } | undefined {
  const { fault } = result.parameters as Partial<LiveScenario>
  return fault?.kind === 'block' ? { fromMs: fault.atMs, toMs: fault.atMs + fault.ms } : undefined
}

function heatMaps(result: ScenarioResult): string {
  const span = blockOf(result)
  const maps = result.systems.flatMap((system) => heatMap(system, system.label, span) ?? [])
  if (maps.length === 0) return ''
  const line = span === undefined ? '' : ', the red line shows the block'
  const caption = `${result.name}: starts by worker and time in the first repetition; a blocked worker comes first${line}`
  return `<figure>${maps.join('<br>')}<figcaption>${escapeText(caption)}</figcaption></figure>`
}

/** Percentile plots where a reader looks first: an undisturbed scenario, a heavy tail and each disturbed one. */
const plotted = (result: ScenarioResult): boolean =>
  result.probe === 'live' && !result.name.startsWith('exponential at')

export function htmlReport(report: BenchReport): string {
  const { first, scenarios, last } = sectionsOf(report)
  const closed = report.results.find((result) => result.probe === 'closed-loop')
  const flood = report.results.find((result) => result.probe === 'flood')
  const pictures = [
    figure(loadCurve(report.results), 'p99 against load: median over repetitions, band from least to most'),
    closed === undefined
      ? ''
      : figure(barChart(closed, 'tasksPerSecond', 'tasks/s'), `${closed.name}: ${closed.title}`),
    flood === undefined ? '' : figure(barChart(flood, 'usPerTask', 'µs per task'), `${flood.name}: ${flood.title}`),
  ]
  const byScenario = scenarios.map((section, at) => {
    const result = report.results[at] as ScenarioResult
    const percentiles = plotted(result)
      ? figure(percentilePlot(result), `${result.name}: latency by percentile, first repetition`)
      : ''
    return `${sectionHtml(section)}${percentiles}${heatMaps(result)}`
  })
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>evenkeel bench: ${escapeText(report.command)}</title><style>${style}</style></head>
<body>
<h1>evenkeel bench: ${escapeText(report.command)}</h1>
<p class="answer">${escapeText(answerOf(report))}</p>
${[...first.map(sectionHtml), ...pictures, ...byScenario, ...last.map(sectionHtml)].join('\n')}
</body>
</html>
`
}
