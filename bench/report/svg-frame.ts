/** The frame of a plot: axes, grid, labels and legend as SVG text. Nothing is loaded from anywhere. */

export interface Axis {
  readonly label: string
  readonly min: number
  readonly max: number
  readonly log: boolean
  /** Values with a tick, and what is written there. */
  readonly ticks: readonly (readonly [value: number, text: string])[]
}

export interface Frame {
  readonly width: number
  readonly height: number
  readonly x: (value: number) => number
  readonly y: (value: number) => number
  /** Everything around the drawn data. */
  readonly svg: string
}

export const colours = [
  '#0b6e4f',
  '#c1292e',
  '#235789',
  '#e08e0b',
  '#6f4a8e',
  '#4a4a4a',
  '#1b9aaa',
  '#9b5d2e',
  '#d1495b',
  '#66a182',
]

export const colourOf = (at: number): string => colours[at % colours.length] as string

/** Lines beyond the colours are dashed, so that no two of thirty look alike. */
export function strokeOf(at: number): string {
  const dash = ['', ' stroke-dasharray="7 4"', ' stroke-dasharray="2 3"'][Math.floor(at / colours.length) % 3]
  return `stroke="${colourOf(at)}" stroke-width="2"${dash}`
}

export function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] as string)
}

export interface TextPlace {
  readonly x: number
  readonly y: number
  readonly anchor?: 'start' | 'middle' | 'end'
  readonly turned?: boolean
}

export function svgText(text: string, { x, y, anchor = 'start', turned = false }: TextPlace): string {
  const turn = turned ? ` transform="rotate(-90 ${x} ${y})"` : ''
  return `<text x="${x}" y="${y}" text-anchor="${anchor}"${turn}>${escapeText(text)}</text>`
}

const left = 64
const top = 16
const bottom = 48
const legendWidth = 370

function scale(axis: Axis, from: number, to: number): (value: number) => number {
  const at = axis.log ? Math.log10 : (value: number): number => value
  const low = at(axis.min)
  const span = at(axis.max) - low
  // Data outside the axis is drawn on its edge, never outside the frame.
  return (value) => from + Math.min(1, Math.max(0, (at(value) - low) / span)) * (to - from)
}

/** Powers of ten, and 2 and 5 of each where they lie within. */
export function logTicks(min: number, max: number, unit: string): (readonly [number, string])[] {
  const ticks: (readonly [number, string])[] = []
  for (let power = Math.floor(Math.log10(min)); power <= Math.ceil(Math.log10(max)); power++) {
    for (const step of max / min > 300 ? [1] : [1, 2, 5]) {
      const value = step * 10 ** power
      if (value >= min * 0.999 && value <= max * 1.001) ticks.push([value, `${Number(value.toPrecision(1))}${unit}`])
    }
  }
  return ticks
}

/** Limits of a logarithmic axis around the values, to the next 1, 2 or 5. */
export function logLimits(values: readonly number[]): { min: number; max: number } {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value))
  if (positive.length === 0) return { min: 1, max: 10 }
  const steps = [1, 2, 5, 10]
  const least = Math.min(...positive)
  const most = Math.max(...positive)
  const lowPower = 10 ** Math.floor(Math.log10(least))
  const highPower = 10 ** Math.floor(Math.log10(most))
  const min = lowPower * (steps.filter((step) => step * lowPower <= least * 1.0001).at(-1) ?? 1)
  const max = highPower * (steps.find((step) => step * highPower >= most * 0.9999) ?? 10)
  return { min, max: max > min ? max : min * 10 }
}

export function plotFrame(xAxis: Axis, yAxis: Axis, legend: readonly string[]): Frame {
  const width = 1_000
  const height = Math.max(360, top + bottom + 18 * legend.length)
  const right = width - legendWidth
  const x = scale(xAxis, left, right)
  const y = scale(yAxis, height - bottom, top)
  const grid = [
    ...xAxis.ticks.map(([value, text]) => {
      const at = x(value).toFixed(1)
      return `<line class="grid" x1="${at}" x2="${at}" y1="${top}" y2="${height - bottom}"/>${svgText(text, { x: x(value), y: height - bottom + 18, anchor: 'middle' })}`
    }),
    ...yAxis.ticks.map(([value, text]) => {
      const at = y(value).toFixed(1)
      return `<line class="grid" x1="${left}" x2="${right}" y1="${at}" y2="${at}"/>${svgText(text, { x: left - 6, y: y(value) + 4, anchor: 'end' })}`
    }),
  ]
  const names = legend.map((name, at) => {
    const row = top + 12 + 18 * at
    return `<line x1="${right + 12}" x2="${right + 36}" y1="${row - 4}" y2="${row - 4}" ${strokeOf(at)}/>${svgText(name, { x: right + 42, y: row })}`
  })
  const svg = [
    ...grid,
    `<rect class="frame" x="${left}" y="${top}" width="${right - left}" height="${height - top - bottom}"/>`,
    svgText(xAxis.label, { x: (left + right) / 2, y: height - 10, anchor: 'middle' }),
    svgText(yAxis.label, { x: 14, y: (top + height - bottom) / 2, anchor: 'middle', turned: true }),
    ...names,
  ].join('')
  return { width, height, x, y, svg }
}

export function svgDocument(width: number, height: number, title: string, body: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeText(title)}">${body}</svg>`
}
