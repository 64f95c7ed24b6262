/**
 * Tasks that do everything a task may do to a dispatcher. Each notes its start in shared memory, per attempt, before
 * anything else; `answerOf` of `task-plan.ts` says what it must return.
 */

import { workerData } from 'node:worker_threads'
import { transfer } from '../../dist/src/task.js'

/** Attempts of one task that have a counter of their own. */
const ATTEMPTS = 4
const starts = new Int32Array(workerData.starts)
/** When each attempt was started, ms on the clock that all threads share. */
const startTimes = workerData.startTimes === undefined ? undefined : new Float64Array(workerData.startTimes)
const never = new Int32Array(new SharedArrayBuffer(4))

export const kinds = {
  wait: 'io',
  waitAndThrow: 'io',
  waitAndExit: 'io',
  waitForAbort: 'io',
  neverEnd: 'io',
  editsLater: 'io',
  yieldsLater: 'io',
}

function started({ id }, context) {
  const at = id * ATTEMPTS + context.attempt - 1
  Atomics.add(starts, at, 1)
  if (startTimes !== undefined) startTimes[at] = Number(process.hrtime.bigint()) / 1e6
}

function spin(ms) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

const park = (ms) => Atomics.wait(never, 0, 0, ms)
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const fault = (id) => Object.assign(new RangeError(`fault of ${id}`), { code: 'CHAOS', id })

export function quick(payload, context) {
  started(payload, context)
  return payload.id * 2 + 1
}

export function echo(payload, context) {
  started(payload, context)
  return { id: payload.id, text: payload.text, slot: context.slot }
}

/** Mostly quick, so that its name has a short history; `ms` makes it suddenly long. */
export function moody(payload, context) {
  started(payload, context)
  if (payload.ms > 0) payload.parked ? park(payload.ms) : spin(payload.ms)
  return payload.id * 2 + 1
}

export async function soon(payload, context) {
  started(payload, context)
  await new Promise((resolve) => setImmediate(resolve))
  return payload.id * 2 + 1
}

export async function later(payload, context) {
  started(payload, context)
  await sleep(payload.ms)
  return payload.id * 2 + 1
}

export function throws(payload, context) {
  started(payload, context)
  throw fault(payload.id)
}

export async function rejects(payload, context) {
  started(payload, context)
  await sleep(payload.ms)
  throw fault(payload.id)
}

/** Fails as often as the payload says, then answers. */
export function throwsFirst(payload, context) {
  started(payload, context)
  if (context.attempt <= payload.failures) throw fault(payload.id)
  return payload.id * 2 + 1
}

export function exits(payload, context) {
  started(payload, context)
  process.exit(3)
}

/** Ends its worker at the first attempts only. */
export function exitsFirst(payload, context) {
  started(payload, context)
  if (context.attempt <= payload.failures) process.exit(4)
  return payload.id * 2 + 1
}

/** Throws outside its own call while it still runs. */
export function throwsOutside(payload, context) {
  started(payload, context)
  setImmediate(() => {
    throw fault(payload.id)
  })
  return new Promise(() => {})
}

/** Answers, and brings its worker down afterwards. */
export function throwsAfterwards(payload, context) {
  started(payload, context)
  setTimeout(() => {
    throw fault(payload.id)
  }, payload.ms)
  return payload.id * 2 + 1
}

export function unhandled(payload, context) {
  started(payload, context)
  Promise.reject(fault(payload.id))
  return sleep(200).then(() => payload.id * 2 + 1)
}

/** Answers at the very end of its worker's life. */
export function answersAndExits(payload, context) {
  started(payload, context)
  setImmediate(() => process.exit(5))
  return payload.id * 2 + 1
}

export function returnsFunction(payload, context) {
  started(payload, context)
  return { id: payload.id, call: () => {} }
}

/** Gets a moved buffer and moves another back. */
export function moved(payload, context) {
  started(payload, context)
  const bytes = new Uint32Array(payload.buffer)
  bytes[0] = bytes[0] * 2 + 1
  return bytes
}

/** Heeds an abort in a synchronous loop; gives up by itself after `ms`. */
export function heeds(payload, context) {
  started(payload, context)
  const end = performance.now() + payload.ms
  while (performance.now() < end && !context.aborted);
  return payload.id * 2 + 1
}

export function tells(payload, context) {
  started(payload, context)
  for (let step = 0; step < 3; step++) context.progress({ id: payload.id, step })
  return payload.id * 2 + 1
}

export async function wait(payload, context) {
  started(payload, context)
  await sleep(payload.ms)
  return payload.id * 2 + 1
}

export async function waitAndThrow(payload, context) {
  started(payload, context)
  await sleep(payload.ms)
  throw fault(payload.id)
}

export async function waitAndExit(payload, context) {
  started(payload, context)
  await sleep(payload.ms)
  process.exit(6)
}

export function waitForAbort(payload, context) {
  started(payload, context)
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, payload.ms, payload.id * 2 + 1)
    context.signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(context.signal.reason)
    })
  })
}

/** Ignores every request to end; only its limit settles it. */
export function neverEnd(payload, context) {
  started(payload, context)
  return new Promise(() => {})
}

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
