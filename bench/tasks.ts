/**
 * The tasks that every contender runs: one module for all of them, so that no system measures other work than its
 * rivals. Times are of the monotonic clock that all threads of a process share.
 */

import { threadId } from 'node:worker_threads'
import { slowness } from './worker-faults.js'

/** Where and when a task ran: thread id, start and finish in ms of the shared monotonic clock. */
export type Trace = readonly [thread: number, startedMs: number, finishedMs: number]

/** How a traced task spends its time: a busy loop, a thread that sleeps, or a timer that leaves the thread free. */
export type WorkKind = 'busy' | 'parked' | 'timer'

export interface Work {
  readonly kind: WorkKind
  readonly ms: number
  /** Counts the starts of each task in shared memory, so that one that ran twice is seen. */
  readonly starts?: Int32Array
  readonly index?: number
  /** Only carried. */
  readonly bytes?: Uint8Array
}

const never = new Int32Array(new SharedArrayBuffer(4))

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6

function busy(ms: number): void {
  const endMs = nowMs() + ms
  while (nowMs() < endMs);
}

/** The cheapest task there is: what remains is the dispatcher's own cost. */
export function noop(value: unknown): unknown {
  return value
}

function countStart(work: Work): void {
  if (work.starts !== undefined && work.index !== undefined) Atomics.add(work.starts, work.index, 1)
}

/** Holds the thread for `ms`, busy or asleep, and says where it ran. */
export function hold(work: Work): Trace {
  const startedMs = nowMs()
  countStart(work)
  if (work.kind === 'parked') Atomics.wait(never, 0, 0, work.ms * slowness)
  else busy(work.ms * slowness)
  return [threadId, startedMs, nowMs()]
}

/** Waits for a timer and leaves the thread free meanwhile. */
export async function nap(work: Work): Promise<Trace> {
  const startedMs = nowMs()
  countStart(work)
  await new Promise((resolve) => setTimeout(resolve, work.ms))
  return [threadId, startedMs, nowMs()]
}

/** Ends its own thread. */
export function die(code: number): never {
  process.exit(code)
}

/**
 * A fixed amount of arithmetic: `rounds` steps of a xorshift generator. Unlike a loop that watches the clock it
 * needs longer when the processor is shared, as real work does.
 */
export function grind(rounds: number): number {
  let state = 0x2545f491
  for (let round = 0; round < rounds; round++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
  }
  return state
}

/** Reads one byte of each cache line, so that a buffer that came across was really there. */
export function sum(bytes: Uint8Array): number {
  let total = 0
  for (let at = 0; at < bytes.length; at += 64) total += bytes[at] as number
  return total
}

/** Answers as soon as the payload was read: what remains is what carrying it costs. */
export function lengthOf(value: { readonly length: number }): number {
  return value.length
}

/** The same as an I/O task. */
export async function lengthOfLater(value: { readonly length: number }): Promise<number> {
  return value.length
}

/** Tasks by the resource they need; the dispatcher under test reads this declaration. */
export const kinds = { nap: 'io', lengthOfLater: 'io' } as const

/** The tasks alone, for libraries that want a table of functions. */
export const tasks = { noop, hold, nap, die, grind, sum, lengthOf, lengthOfLater }

export type TaskName = keyof typeof tasks
