/** The range table itself: one bar, of which each worker has its share. */

import { colourOf, setText, shareText } from './format.js'

/** A narrower part has no room for its text, nor for an edge. */
const WIDE_SHARE = 0.06

/** Fills the bar and returns what updates it. */
export function showRangeTable(bar) {
  const parts = new Map()
  const partOf = (slot) => {
    let part = parts.get(slot)
    if (part === undefined) {
      part = document.createElement('div')
      part.style.backgroundColor = colourOf(slot)
      part.dataset.slot = String(slot)
      bar.append(part)
      parts.set(slot, part)
    }
    return part
  }
  return ({ workers }) => {
    for (const { slot, share, state } of workers) {
      const part = partOf(slot)
      part.style.flexGrow = String(share)
      part.style.backgroundColor = state === 'stalled' ? '' : colourOf(slot)
      part.classList.toggle('stalled', state === 'stalled')
      part.title = `worker ${slot}: ${shareText(share)}`
      const isWide = share >= WIDE_SHARE
      part.classList.toggle('wide', isWide)
      setText(part, isWide ? `${slot} · ${shareText(share)}` : '')
    }
    bar.ariaLabel = workers.map(({ slot, share }) => `worker ${slot} ${shareText(share)}`).join(', ')
  }
}
