/** The live page: every part shows each message of the stream in its own way. */

import { showCharts } from './charts.js'
import { showEvents } from './event-list.js'
import { showFigures } from './figures.js'
import { showRangeTable } from './range-table.js'
import { showWorkers } from './worker-rows.js'

const element = (id) => document.getElementById(id)

const parts = [
  showFigures(element('figures')),
  showRangeTable(element('range')),
  showWorkers(element('workers')),
  showCharts(),
  showEvents(element('events'), element('no-events')),
]

function showConnection(state) {
  element('connection').className = state
  element('connection').textContent = state
}

// It connects again by itself after a break.
const stream = new EventSource('api/stream')
let wasLost = false
stream.addEventListener('open', () => {
  // Perhaps to another process, whose counts and events begin anew.
  if (wasLost) location.reload()
  else showConnection('live')
})
stream.addEventListener('error', () => {
  wasLost = true
  showConnection('lost')
})
stream.addEventListener('message', ({ data }) => {
  const state = JSON.parse(data)
  element('name').textContent = state.name
  document.title = `${state.name} · evenkeel`
  for (const show of parts) show(state)
})
