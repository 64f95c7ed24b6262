/** Tasks of the integration tests. */

import { workerData } from 'node:worker_threads'

export const kinds = { waitIo: 'io', slotIo: 'io' }

const never = new Int32Array(new SharedArrayBuffer(4))
const counters = workerData?.counters === undefined ? undefined : new Int32Array(workerData.counters)
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

function spin(ms) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

const park = (ms) => Atomics.wait(never, 0, 0, ms)

export function noop(value) {
  return value
}

/** Does nothing, or blocks: a name with a short history that turns long. */
export function moody({ value, spinMs = 0, parkMs = 0 }) {
  if (spinMs > 0) spin(spinMs)
  if (parkMs > 0) park(parkMs)
  return value
}

export function spinFor(ms) {
  spin(ms)
  return 'spun'
}

export function parkFor(ms) {
  park(ms)
  return 'parked'
}

export async function waitFor(ms) {
  await sleep(ms)
  return 'waited'
}

export async function waitIo(ms) {
  await sleep(ms)
  return 'waited'
}

export function slotIo(_value, context) {
  return context.slot
}

/** Says where it runs before it blocks. */
export function slotOf(ms, context) {
  context.progress(context.slot)
  park(ms)
  return context.slot
}

/** Throws like an honest task that finds its input wanting. */
export function honest({ value, isBad }) {
  if (isBad) throw new RangeError(`bad input ${value}`)
  return value
}

/** Parks, but on slot 0 fails at once, as a worker with a broken connection would. */
export function brokenOnSlot0(ms, context) {
  if (context.slot === 0) throw new Error('no connection')
  park(ms)
  return context.slot
}

/** Ends its thread on slot 0 whenever 200 ms have passed since the last time. */
export function crashyOnSlot0(ms, context) {
  if (context.slot === 0) {
    const now = performance.timeOrigin + performance.now()
    const due = Atomics.load(counters, 0)
    const at = Math.floor(now) | 0
    if (due === 0 || ((at - due) | 0) >= 200) {
      Atomics.store(counters, 0, at)
      Atomics.add(counters, 1, 1)
      process.exit(9)
    }
  }
  park(ms)
  return context.slot
}

/** Notes when it started, as a place in the order of all starts. */
export function order(index) {
  const place = Atomics.add(counters, 0, 1)
  Atomics.store(counters, 1 + index, place + 1)
  return place
}

export function total(buffer) {
  return new Uint8Array(buffer).reduce((sum, byte) => sum + byte, 0)
}

let runsOfThread = 0

/** Takes 20 ms in a thread that has run few tasks, 0.1 ms later; ends its thread when told to. */
export function coldAtFirst({ exits }) {
  runsOfThread++
  if (exits) process.exit(9)
  park(runsOfThread <= 10 ? 20 : 0.1)
}

/** Ends its thread when more tasks wait on it than it bears, as the host counts them per slot. */
export function frail({ ms }, context) {
  if (Atomics.load(counters, context.slot) > 40) process.exit(9)
  park(ms)
}
