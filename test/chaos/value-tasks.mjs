/** Tasks whose payloads and results are slow to read, unreadable, or share objects and memory with those of others. */

import { transfer } from '../../dist/src/task.js'
import { fault, sleep, started } from './task-notes.mjs'

/** Looks at all of a payload that takes long to read, and edits it. */
export function reads(payload, context) {
  started(payload, context)
  const { id, rows, text, bytes } = payload
  const first = rows === undefined ? undefined : ++rows[0].n
  if (bytes !== undefined) bytes[0]++
  return {
    id,
    rows: rows?.length,
    first,
    last: rows?.at(-1).n,
    text: text?.length,
    byte: bytes?.[0],
    bytes: bytes?.length,
  }
}

/** Returns what takes long to read. */
export function returnsMuch(payload, context) {
  started(payload, context)
  const { id, count, form } = payload
  if (form === 'rows')
    return { id, rows: Array.from({ length: count }, (_, n) => ({ n, name: `row ${id}`, tags: ['a', 'b'] })) }
  if (form === 'text') return { id, text: `${id} `.repeat(count) }
  return { id, bytes: new Uint8Array(count).fill(id & 255) }
}

const nested = (levels) => {
  let value = {}
  for (let level = 0; level < levels; level++) value = { value }
  return value
}

/** Written by this thread's stack, not read by that of the main thread. */
export function returnsDeep(payload, context) {
  started(payload, context)
  return nested(payload.levels)
}

/** Edits what it shares with others. */
function edit({ id, shared }) {
  shared.n++
  shared.list.push(id)
  shared.map?.set('n', shared.map.get('n') + 1)
}

function seen({ id, shared }) {
  const { n, list, map, self } = shared
  return { id, n, length: list.length, last: list.at(-1), mapped: map?.get('n'), isCycle: self === shared }
}

export function edits(payload, context) {
  started(payload, context)
  edit(payload)
  return seen(payload)
}

export async function editsLater(payload, context) {
  started(payload, context)
  edit(payload)
  await sleep(payload.ms)
  return seen(payload)
}

const kept = { n: 7, list: [1, 2, 3] }
const keptMap = new Map([['n', 7]])

/** Part of the result belongs to the module, and to the results of others. */
export function keeps(payload, context) {
  started(payload, context)
  return payload.mapped ? { id: payload.id, map: keptMap } : { id: payload.id, kept }
}

const ledger = { id: 0, list: [] }

/** The next task overwrites what this one returns. */
export function overwrites(payload, context) {
  started(payload, context)
  ledger.id = payload.id
  ledger.list = payload.wide ? Array.from({ length: 100 }, () => ({ id: payload.id })) : [{ id: payload.id }]
  return ledger
}

/** Moves on a small Buffer that it was given. */
export function movesOn(payload, context) {
  started(payload, context)
  return transfer(payload.bytes, [payload.bytes.buffer])
}

/** A small Buffer, on memory that it shares with others of this thread. */
export function givesBytes(payload, context) {
  started(payload, context)
  return Buffer.from(`word ${payload.id}`)
}

/** Answers twice and throws, where one answer is due. */
export function thenable(payload, context) {
  started(payload, context)
  return {
    // biome-ignore lint/suspicious/noThenProperty: the point.
    then(resolve) {
      resolve(payload.id * 2 + 1)
      resolve(0)
      throw fault(payload.id)
    },
  }
}

const item = { id: 0, step: 0 }

/** The same object each time, another's as well; one of the items may be unreadable. */
function nextItem({ id, deepAt }, step) {
  if (step === deepAt) return nested(4_000)
  item.id = id
  item.step = step
  return item
}

export function* yields(payload, context) {
  started(payload, context)
  for (let step = 0; step < payload.count; step++) yield nextItem(payload, step)
}

export async function* yieldsLater(payload, context) {
  started(payload, context)
  for (let step = 0; step < payload.count; step++) {
    await sleep(payload.ms)
    yield nextItem(payload, step)
  }
}
