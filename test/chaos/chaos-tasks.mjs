/**
 * Tasks that do everything a task may do to a dispatcher. Each notes its start in shared memory, per attempt, before
 * anything else; `task-plan.ts` says how it may end, `answers.ts` what it must return.
 */

import { fault, sleep, started } from './task-notes.mjs'

export * from './value-tasks.mjs'

export const kinds = {
  wait: 'io',
  waitAndThrow: 'io',
  waitAndExit: 'io',
  waitForAbort: 'io',
  neverEnd: 'io',
  editsLater: 'io',
  yieldsLater: 'io',
}

const never = new Int32Array(new SharedArrayBuffer(4))

function spin(ms) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** The time in which the process is stopped does not count. */
function spinOwnTime(ms) {
  let last = performance.now()
  for (let spent = 0; spent < ms; ) {
    const now = performance.now()
    spent += Math.min(now - last, 1)
    last = now
  }
}

const park = (ms) => Atomics.wait(never, 0, 0, ms)

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

export function computes(payload, context) {
  started(payload, context)
  spinOwnTime(payload.ms)
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
