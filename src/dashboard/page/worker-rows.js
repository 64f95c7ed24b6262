/** The table of workers. */

import { colourOf, countText, setText, shareText, timeText } from './format.js'
import { makeSparkline } from './sparkline.js'

/** Columns of plain numbers after the sparkline, in the order of the head of the table. */
const NUMBERS = [
  ({ lagMs }) => timeText(lagMs),
  ({ oldestRunningMs }) => (oldestRunningMs === 0 ? '–' : timeText(oldestRunningMs)),
  ({ completed }) => countText(completed),
  ({ failed }) => countText(failed),
  ({ takenBack }) => countText(takenBack),
  ({ stalls }) => countText(stalls),
  ({ restarts }) => countText(restarts),
]

/** Rows in view. Of a thousand workers few are, and only the states of the others are kept up. */
const inView = new Set()
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) inView.add(target)
    else inView.delete(target)
  }
})

/** Fills the body of the table and returns what updates it. */
export function showWorkers(body) {
  const rows = new Map()
  return ({ workers }) => {
    for (const worker of workers) {
      let row = rows.get(worker.slot)
      if (row === undefined) {
        row = makeRow(worker.slot)
        body.append(row.element)
        observer.observe(row.element)
        rows.set(worker.slot, row)
      }
      row.add(worker)
      if (inView.has(row.element)) row.show(worker)
    }
    // After all texts: drawing asks for sizes, and each text changed in between would have the page laid out anew.
    for (const { element, sparkline } of rows.values()) if (inView.has(element)) sparkline.show()
  }
}

function makeRow(slot) {
  const element = document.createElement('tr')
  element.dataset.slot = String(slot)
  const cell = (className = '') => {
    const added = element.insertCell()
    added.className = className
    return added
  }
  element.append(makeHeading(slot))
  const chip = document.createElement('span')
  chip.className = 'chip'
  cell().append(chip)
  const outstanding = cell('number outstanding')
  const load = makeLoad(slot)
  cell().append(load.meter, load.value)
  const share = cell('number share')
  const sparkline = makeSparkline(`Event-loop lag of worker ${slot}`)
  cell().append(sparkline.canvas)
  const numbers = NUMBERS.map(() => cell('number'))
  const add = ({ state, lagMs }) => {
    element.dataset.state = state
    setText(chip, state)
    sparkline.add(lagMs)
  }
  const show = (worker) => {
    setText(outstanding, countText(worker.outstanding))
    load.meter.value = worker.load
    setText(load.value, worker.load.toFixed(0))
    setText(share, shareText(worker.share))
    numbers.forEach((number, index) => {
      setText(number, NUMBERS[index](worker))
    })
  }
  return { element, sparkline, add, show }
}

function makeHeading(slot) {
  const heading = document.createElement('th')
  heading.scope = 'row'
  const swatch = document.createElement('span')
  swatch.className = 'swatch'
  swatch.style.backgroundColor = colourOf(slot)
  heading.append(swatch, String(slot))
  return heading
}

function makeLoad(slot) {
  const meter = document.createElement('meter')
  Object.assign(meter, { min: 0, max: 100, low: 60, high: 90, optimum: 0, ariaLabel: `Load of worker ${slot}` })
  const value = document.createElement('span')
  value.className = 'load-value'
  return { meter, value }
}
