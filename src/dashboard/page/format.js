/** Numbers as people read them. */

const count = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

export function countText(value) {
  return count.format(value)
}

/** Sets the text of an element; one that has it already is left alone, and so is the layout around it. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text
}

/** A share of 1. */
export function shareText(share) {
  return `${(share * 100).toFixed(1)} %`
}

/** A time in ms, in the unit that suits its size; three figures, as histograms are no more exact than that. */
export function timeText(ms) {
  if (ms >= 60_000) return `${(ms / 60_000).toFixed(1)} min`
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(ms >= 10_000 ? 1 : 2)} s`
  return `${ms.toFixed(ms >= 100 ? 0 : ms >= 10 ? 1 : 2)} ms`
}

/** Colours that stay apart for the colour-blind, dark enough for white text on them. */
const COLOURS = ['#0072a3', '#a65300', '#00775a', '#8a3b76', '#5b5f97', '#6b6400', '#9c3848', '#3d6b35']

/** The colour of a worker, the same wherever it is shown. */
export function colourOf(slot) {
  return COLOURS[slot % COLOURS.length]
}
