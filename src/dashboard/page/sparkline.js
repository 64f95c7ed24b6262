/** A line of the last minute, without axes. */

import { timeText } from './format.js'

/** A minute at four values a second. */
const MAX_VALUES = 240
/** A line below this is drawn flat: noise of a healthy loop is not to look like trouble, ms. */
const MIN_SCALE_MS = 100

/** Makes the line; returns its element, what adds a value in ms, and what draws them. */
export function makeSparkline(label) {
  const canvas = document.createElement('canvas')
  canvas.className = 'sparkline'
  canvas.setAttribute('role', 'img')
  const values = []
  const add = (valueMs) => {
    values.push(valueMs)
    if (values.length > MAX_VALUES) values.shift()
  }
  const show = () => {
    const valueMs = values.at(-1)
    const maxMs = Math.max(...values)
    canvas.ariaLabel = `${label}: now ${timeText(valueMs)}, most ${timeText(maxMs)} in the last minute`
    draw(canvas, values, Math.max(MIN_SCALE_MS, maxMs))
  }
  return { canvas, add, show }
}

function draw(canvas, values, scaleMs) {
  const ratio = devicePixelRatio
  const width = Math.round(canvas.clientWidth * ratio)
  const height = Math.round(canvas.clientHeight * ratio)
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
  const pen = canvas.getContext('2d')
  pen.clearRect(0, 0, width, height)
  const style = getComputedStyle(canvas)
  // The newest value stands at the right edge from the beginning.
  const xOf = (index) => width - ((values.length - 1 - index) * width) / (MAX_VALUES - 1)
  const yOf = (value) => height - ratio - (value / scaleMs) * (height - 2 * ratio)
  const line = new Path2D()
  values.forEach((value, index) => {
    line.lineTo(xOf(index), yOf(value))
  })
  const area = new Path2D(line)
  area.lineTo(width, height)
  area.lineTo(xOf(0), height)
  const colour = style.getPropertyValue(values.at(-1) >= MIN_SCALE_MS ? '--bad' : '--accent')
  pen.globalAlpha = 0.18
  pen.fillStyle = colour
  pen.fill(area)
  pen.globalAlpha = 1
  pen.strokeStyle = colour
  pen.lineWidth = 1.25 * ratio
  pen.stroke(line)
}
