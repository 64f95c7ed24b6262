/** The table of workers. */

import { colourOf, countText, shareText, timeText } from './format.js'
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

/** Fills the body of the table and returns what updates it. */
export function showWorkers(body) {
  const rows = new Map()
  return ({ workers }) => {
    for (const worker of workers) {
      let row = rows.get(worker.slot)
      if (row === undefined) {
        row = makeRow(worker.slot)
        body.append(row.element)
        rows.set(worker.slot, row)
      }
      row.update(worker)
    }
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
  const update = (worker) => {
    element.dataset.state = worker.state
    chip.textContent = worker.state
    outstanding.textContent = countText(worker.outstanding)
    load.meter.value = worker.load
    load.value.textContent = worker.load.toFixed(0)
    share.textContent = shareText(worker.share)
    sparkline.add(worker.lagMs)
    numbers.forEach((number, index) => {
      number.textContent = NUMBERS[index](worker)
    })
  }
  return { element, update }
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
