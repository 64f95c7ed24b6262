/* global uPlot -- loaded by the page before this module */
/** The charts of the last minute, drawn by uPlot. */

/** What a chart shows, and how many points that is at four a second. */
const SPAN_SECONDS = 60
const MAX_POINTS = 4 * SPAN_SECONDS
const HEIGHT = 220

const clockText = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

const CHARTS = [
  {
    id: 'queue-chart',
    series: [
      { label: 'queued', value: ({ queued }) => queued },
      { label: 'running', value: ({ running }) => running },
    ],
  },
  {
    id: 'latency-chart',
    series: [
      { label: 'wait p50', value: ({ waitMs }) => waitMs.p50 },
      { label: 'wait p99', value: ({ waitMs }) => waitMs.p99 },
      { label: 'run p99', value: ({ runMs }) => runMs.p99 },
    ],
  },
]

/** Draws the charts and returns what adds a point to each. */
export function showCharts() {
  const charts = CHARTS.map(makeChart)
  // Colours are drawn, not styled: another scheme needs another drawing.
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    for (const chart of charts) chart.redraw()
  })
  return (state) => {
    const seconds = Date.now() / 1_000
    for (const chart of charts) chart.add(seconds, state)
  }
}

function makeChart({ id, series }) {
  const place = document.getElementById(id)
  const data = [[], ...series.map(() => [])]
  let plot
  const redraw = () => {
    plot?.destroy()
    plot = new uPlot(optionsOf(place, series), data, place)
  }
  redraw()
  new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT })).observe(place)
  const add = (seconds, state) => {
    data[0].push(seconds)
    series.forEach(({ value }, index) => {
      data[index + 1].push(value(state))
    })
    if (data[0].length > MAX_POINTS) for (const column of data) column.shift()
    plot.setData(data)
  }
  return { add, redraw }
}

function optionsOf(place, series) {
  const style = getComputedStyle(document.documentElement)
  const colour = (name) => style.getPropertyValue(name).trim()
  const axis = {
    stroke: colour('--quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1 },
  }
  return {
    width: place.clientWidth,
    height: HEIGHT,
    // Nothing to zoom into: the newest point moves every quarter of a second.
    cursor: { drag: { x: false, y: false } },
    scales: {
      x: { range: (_plot, _min, max) => [max - SPAN_SECONDS, max] },
      y: { range: (_plot, _min, max) => [0, Math.max(1, (max ?? 0) * 1.1)] },
    },
    axes: [
      { ...axis, space: 80, values: (_plot, seconds) => seconds.map((second) => clockText.format(second * 1_000)) },
      { ...axis, size: 60 },
    ],
    series: [
      { value: (_plot, second) => (second == null ? '–' : clockText.format(second * 1_000)) },
      ...series.map(({ label }, index) => ({
        label,
        stroke: colour(`--series-${index + 1}`),
        width: 1.5,
        points: { show: false },
        value: (_plot, value) => (value == null ? '–' : value.toFixed(value >= 100 ? 0 : 2)),
      })),
    ],
  }
}
