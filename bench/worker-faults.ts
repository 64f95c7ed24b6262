/**
 * Troubles that a worker has of itself, not by a task it was given. Which ones is told by an environment variable,
 * because every pool hands the environment down to its threads and nothing else reaches all of them alike.
 */

import { isMainThread, threadId } from 'node:worker_threads'

export const faultVariable = 'EVENKEEL_BENCH_FAULT'

export type WorkerFault =
  /** Each worker in turn stands still for `ms`, one every `everyMs`. */
  | { readonly kind: 'rolling'; readonly everyMs: number; readonly ms: number; readonly workers: number }
  /** One worker needs `factor` times as long for everything. */
  | { readonly kind: 'slow'; readonly factor: number; readonly workers: number }

const never = new Int32Array(new SharedArrayBuffer(4))

const faultHere: WorkerFault | undefined =
  isMainThread || process.env[faultVariable] === undefined
    ? undefined
    : (JSON.parse(process.env[faultVariable]) as WorkerFault)

/** Threads of one pool are started one after the other, so their ids fall on different turns. */
const turnOf = (fault: WorkerFault): number => threadId % fault.workers

/** How many times as long this thread takes for a task. */
export const slowness = faultHere?.kind === 'slow' && turnOf(faultHere) === 0 ? faultHere.factor : 1

function stallInTurn(fault: WorkerFault & { kind: 'rolling' }): void {
  const roundMs = fault.everyMs * fault.workers
  const passedMs = Number(process.hrtime.bigint() / 1_000_000n) % roundMs
  const waitMs = (fault.everyMs * turnOf(fault) - passedMs + roundMs) % roundMs
  setTimeout(() => {
    Atomics.wait(never, 0, 0, fault.ms)
    stallInTurn(fault)
  }, waitMs + 1).unref()
}

if (faultHere?.kind === 'rolling') stallInTurn(faultHere)
