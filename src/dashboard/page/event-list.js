/** The list of events, newest first. */

const MAX_SHOWN = 200

const clockText = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

/** Returns what adds the events of a message that are not yet in the list. */
export function showEvents(list, noneNotice) {
  let lastId = 0
  return ({ atMs, events }) => {
    for (const event of events) {
      if (event.id <= lastId) continue
      lastId = event.id
      // Both times are of the pool's clock; this machine's own tells when that was.
      list.prepend(makeItem(event, new Date(Date.now() - (atMs - event.atMs))))
    }
    while (list.children.length > MAX_SHOWN) list.lastChild.remove()
    noneNotice.hidden = lastId > 0
  }
}

function makeItem({ kind, slot, text }, when) {
  const item = document.createElement('li')
  item.className = kind
  const time = document.createElement('time')
  time.dateTime = when.toISOString()
  time.textContent = clockText.format(when)
  const name = document.createElement('span')
  name.className = 'kind'
  name.textContent = kind
  const words = document.createElement('span')
  words.textContent = slot < 0 ? text : `worker ${slot}: ${text}`
  item.append(time, name, words)
  return item
}
