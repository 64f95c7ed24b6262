/** The plots of the report, each one SVG. */

import type { ScenarioResult, SystemResult } from '../harness/report.js'
import { plottedQuantiles } from '../probes/live-figures.js'
import { curveLoads, curveName } from '../scenarios/catalogue.js'
import { colourOf, logLimits, logTicks, plotFrame, strokeOf, svgDocument, svgText } from './svg-frame.js'
import { shortNumber } from './text-table.js'

interface Line {
  readonly name: string
  readonly points: readonly (readonly [x: number, y: number])[]
  /** A band around the line: least and most of the repetitions. */
  readonly band?: readonly (readonly [x: number, low: number, high: number])[]
}

function drawLines(lines: readonly Line[], x: (value: number) => number, y: (value: number) => number): string {
  return lines
    .map(({ points, band }, at) => {
      const pair = ([across, up]: readonly [number, number]): string => `${x(across).toFixed(1)},${y(up).toFixed(1)}`
      const area =
        band === undefined || band.length < 2
          ? ''
          : `<polygon fill="${colourOf(at)}" opacity="0.15" points="${[
              ...band.map(([across, low]) => pair([across, low])),
              ...band.map(([across, , high]) => pair([across, high])).reverse(),
            ].join(' ')}"/>`
      const marks = points.map((point) => {
        const [across, up] = pair(point).split(',')
        return `<circle cx="${across}" cy="${up}" r="2.5" fill="${colourOf(at)}"/>`
      })
      return `${area}<polyline fill="none" ${strokeOf(at)} points="${points.map(pair).join(' ')}"/>${marks.join('')}`
    })
    .join('')
}

/** p99 against load, one line a system, the band from the least to the most of the repetitions. */
export function loadCurve(results: readonly ScenarioResult[]): string | undefined {
  const byLoad = curveLoads.flatMap((load) => {
    const result = results.find((each) => each.name === curveName(load))
    return result === undefined ? [] : [{ load, result }]
  })
  if (byLoad.length < 2) return undefined
  const labels = byLoad[0]?.result.systems.map((system) => system.label) ?? []
  const lines = labels.map((name): Line => {
    const figures = byLoad.flatMap(({ load, result }) => {
      const figure = result.systems.find((system) => system.label === name)?.measures.p99Ms
      const values = figure?.values.filter((value) => value !== null) ?? []
      return figure === undefined || values.length === 0 ? [] : [{ load, figure, values }]
    })
    return {
      name,
      points: figures.map(({ load, figure }) => [load, figure.median] as const),
      band: figures.map(({ load, values }) => [load, Math.min(...values), Math.max(...values)] as const),
    }
  })
  const limits = logLimits(lines.flatMap((line) => (line.band ?? []).flatMap(([, low, high]) => [low, high])))
  const frame = plotFrame(
    { label: 'load', min: 0.25, max: 1, log: false, ticks: curveLoads.map((load) => [load, String(load)] as const) },
    { label: 'p99, ms', ...limits, log: true, ticks: logTicks(limits.min, limits.max, '') },
    labels,
  )
  return svgDocument(frame.width, frame.height, 'p99 against load', frame.svg + drawLines(lines, frame.x, frame.y))
}

/** Latency by percentile; the axis gives every further nine the same room. */
export function percentilePlot(result: ScenarioResult): string | undefined {
  // The last eighth of a decade rests on single tasks when a run has a few thousand.
  const shown = plottedQuantiles.filter((fraction) => 1 - fraction >= 9e-4)
  const lines = result.systems.flatMap(({ label, series }): Line[] => {
    const quantilesMs = series?.quantilesMs
    if (quantilesMs === undefined) return []
    const points = shown.map((fraction, at) => [1 / (1 - fraction), quantilesMs[at] as number] as const)
    return [{ name: label, points }]
  })
  if (lines.length === 0) return undefined
  const limits = logLimits(lines.flatMap((line) => line.points.map(([, ms]) => ms)))
  const ticks = [0, 0.9, 0.99, 0.999].map(
    (fraction) => [1 / (1 - fraction), fraction === 0 ? 'least' : `p${fraction * 100}`] as const,
  )
  const frame = plotFrame(
    { label: 'percentile', min: 1, max: 1_100, log: true, ticks },
    { label: 'latency, ms', ...limits, log: true, ticks: logTicks(limits.min, limits.max, '') },
    lines.map((line) => line.name),
  )
  const title = `latency by percentile: ${result.name}`
  return svgDocument(frame.width, frame.height, title, frame.svg + drawLines(lines, frame.x, frame.y))
}

const cellHeight = 16
const mapLeft = 96
const mapWidth = 740

/** Starts per worker and 50 ms: dark is many, white is none. */
export function heatMap(
  system: SystemResult,
  title: string,
  fault: { fromMs: number; toMs: number } | undefined,
): string | undefined {
  const rows = Object.entries(system.series ?? {}).filter(([name]) => name.startsWith('worker '))
  const columns = Math.max(0, ...rows.map(([, counts]) => counts.length))
  if (rows.length === 0 || columns === 0) return undefined
  const most = Math.max(1, ...rows.flatMap(([, counts]) => counts))
  const cellWidth = mapWidth / columns
  const top = 24
  const height = top + rows.length * cellHeight + 28
  const cells = rows.flatMap(([, counts], row) =>
    counts.map((count, column) => {
      const shade = count === 0 ? '#ffffff' : `hsl(160 83% ${Math.round(88 - (60 * count) / most)}%)`
      return `<rect x="${(mapLeft + column * cellWidth).toFixed(1)}" y="${top + row * cellHeight}" width="${cellWidth.toFixed(1)}" height="${cellHeight - 1}" fill="${shade}"><title>${count} starts</title></rect>`
    }),
  )
  const names = rows.map(([name], row) =>
    svgText(name, { x: mapLeft - 8, y: top + row * cellHeight + 12, anchor: 'end' }),
  )
  const lengthMs = columns * 50
  const seconds = Array.from({ length: Math.floor(lengthMs / 500) + 1 }, (_, half) => {
    const x = mapLeft + (half * 500 * mapWidth) / lengthMs
    return svgText(`${half / 2} s`, { x, y: height - 8, anchor: 'middle' })
  })
  const span =
    fault === undefined
      ? ''
      : `<rect x="${mapLeft + (fault.fromMs * mapWidth) / lengthMs}" y="${top - 5}" width="${((fault.toMs - fault.fromMs) * mapWidth) / lengthMs}" height="3" fill="#c1292e"/>`
  const body = [
    svgText(`${title}; darkest: ${most} starts in 50 ms`, { x: mapLeft, y: 12 }),
    `<rect class="frame" x="${mapLeft}" y="${top - 1}" width="${mapWidth}" height="${rows.length * cellHeight}"/>`,
    ...cells,
    span,
    ...names,
    ...seconds,
  ].join('')
  return svgDocument(mapLeft + mapWidth + 24, height, title, body)
}

/** One bar a system: the median, with a line from the least to the most of the repetitions. */
export function barChart(result: ScenarioResult, measure: string, unit: string): string | undefined {
  const bars = result.systems.flatMap(({ label, measures }) => {
    const values = measures[measure]?.values.filter((value) => value !== null) ?? []
    return values.length === 0 ? [] : [{ label, median: measures[measure]?.median as number, values }]
  })
  if (bars.length === 0) return undefined
  const nameWidth = 340
  const barWidth = 400
  const rowHeight = 24
  const most = Math.max(...bars.flatMap((bar) => bar.values))
  const rows = bars.map(({ label, median, values }, row) => {
    const y = 8 + row * rowHeight
    const width = (value: number): number => (value / most) * barWidth
    const from = nameWidth + width(Math.min(...values))
    const to = nameWidth + width(Math.max(...values))
    return [
      svgText(label, { x: nameWidth - 8, y: y + 14, anchor: 'end' }),
      `<rect x="${nameWidth}" y="${y + 3}" width="${width(median).toFixed(1)}" height="14" fill="${colourOf(row)}"/>`,
      `<line x1="${from.toFixed(1)}" x2="${to.toFixed(1)}" y1="${y + 10}" y2="${y + 10}" stroke="#000000"/>`,
      svgText(`${shortNumber(median)} ${unit}`, { x: Math.max(to, nameWidth + width(median)) + 8, y: y + 14 }),
    ].join('')
  })
  const height = 16 + bars.length * rowHeight
  return svgDocument(nameWidth + barWidth + 160, height, `${result.name}: ${measure}`, rows.join(''))
}
