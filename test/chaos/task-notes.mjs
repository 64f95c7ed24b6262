/** What every task of a chaos run does first, and what it throws. */

import { workerData } from 'node:worker_threads'

/** Attempts of one task that have a counter of their own. */
const ATTEMPTS = 4
const starts = new Int32Array(workerData.starts)
/** When each attempt was started, ms on the clock that all threads share. */
const startTimes = workerData.startTimes === undefined ? undefined : new Float64Array(workerData.startTimes)

export function started({ id }, context) {
  const at = id * ATTEMPTS + context.attempt - 1
  Atomics.add(starts, at, 1)
  if (startTimes !== undefined) startTimes[at] = Number(process.hrtime.bigint()) / 1e6
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export const fault = (id) => Object.assign(new RangeError(`fault of ${id}`), { code: 'CHAOS', id })
