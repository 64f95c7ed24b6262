/** The row of large figures. */

import { countText, timeText } from './format.js'

/** A rate is that of the last so many ms. */
const RATE_SPAN_MS = 1_000
/** The dispatcher itself is late: whoever sees this looks for a block on the main thread, not in a worker. */
const MAIN_LAG_ALARM_MS = 50

/** What each figure is called, how it is told, and when it is bad news. */
const FIGURES = [
  { label: 'Tasks / s', text: (_state, rate) => countText(rate) },
  { label: 'Posted', text: ({ posted }) => countText(posted) },
  { label: 'Running', text: ({ running }) => countText(running) },
  { label: 'Queued', text: ({ queued }) => countText(queued) },
  { label: 'Queue age', text: ({ oldestQueuedMs }) => timeText(oldestQueuedMs) },
  { label: 'Wait p99', text: ({ waitMs }) => timeText(waitMs.p99) },
  { label: 'Run p99', text: ({ runMs }) => timeText(runMs.p99) },
  { label: 'Completed', text: ({ completed }) => countText(completed) },
  { label: 'Failed', text: ({ failed }) => countText(failed) },
  {
    label: 'Main loop lag',
    text: ({ mainLagMs }) => timeText(mainLagMs),
    isAlarm: ({ mainLagMs }) => mainLagMs > MAIN_LAG_ALARM_MS,
  },
]

/** Fills the list and returns what updates it. */
export function showFigures(list) {
  const recent = []
  const cells = FIGURES.map(({ label }) => {
    const group = document.createElement('div')
    const term = document.createElement('dt')
    const value = document.createElement('dd')
    term.textContent = label
    group.append(term, value)
    list.append(group)
    return { group, value }
  })
  return (state) => {
    const settled = state.completed + state.failed
    recent.push({ atMs: state.atMs, settled })
    while (recent.length > 2 && state.atMs - recent[1].atMs >= RATE_SPAN_MS) recent.shift()
    const spanMs = state.atMs - recent[0].atMs
    const rate = spanMs > 0 ? ((settled - recent[0].settled) * 1_000) / spanMs : 0
    FIGURES.forEach(({ text, isAlarm }, index) => {
      cells[index].value.textContent = text(state, rate)
      cells[index].group.classList.toggle('alarm', isAlarm?.(state) ?? false)
    })
  }
}
