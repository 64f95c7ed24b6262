/** How promises end, and where the fixtures are. */

import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** A file of `test/fixtures/cases`, or of `test/fixtures/<folder>`. */
export function fixtureUrl(name: string, folder = 'cases'): URL {
  return new URL(`../fixtures/${folder}/${name}`, import.meta.url)
}

/** How many busy threads share a processor, 1 on a quiet machine. */
const sharing = () => Math.max(1, loadavg()[0]! / availableParallelism())

/**
 * The promise's own outcome, or an error that says it hangs. Where other processes keep the processors busy, the limit is
 * as many times longer.
 */
export async function within<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  const stop = new AbortController()
  const more = (ms: number) => sleep(ms, undefined, { signal: stop.signal, ref: true })
  const late = more(limitMs).then(async () => {
    const longerMs = limitMs * (sharing() - 1)
    await more(longerMs)
    throw new Error(`not settled in ${Math.round(limitMs + longerMs)} ms`)
  })
  late.catch(() => {})
  try {
    return await Promise.race([promise, late])
  } finally {
    stop.abort()
  }
}

/** What the promise rejects with, whatever that is; throws when it resolves or does not settle in time. */
export async function reasonOf(limitMs: number, promise: Promise<unknown>): Promise<unknown> {
  const settled = promise.then(
    (value) => ({ ok: true as const, value }),
    (reason: unknown) => ({ ok: false as const, reason }),
  )
  const outcome = await within(limitMs, settled)
  if (outcome.ok) throw new Error(`resolved to ${String(outcome.value)}, where a rejection is due`)
  return outcome.reason
}

/** What the promise rejects with, which must be an Error with a message. */
export async function errorOf(limitMs: number, promise: Promise<unknown>): Promise<ReportedError> {
  const reason = await reasonOf(limitMs, promise)
  if (!(reason instanceof Error)) throw new Error(`rejected with ${typeof reason} ${String(reason)}, no Error`)
  if (reason.message === '') throw new Error(`rejected with a blank ${reason.name}`)
  return reason as ReportedError
}

/** An Error with the properties that evenkeel, Node or a task may have put on it. */
export interface ReportedError extends Error {
  readonly code?: string
  readonly exitCode?: number
  readonly retryable?: boolean
  readonly path?: string
  readonly limitMs?: number
  readonly attempts?: number
  readonly task?: string
  readonly errors?: ReportedError[]
  readonly cause?: ReportedError
  readonly [property: string]: unknown
}

/** Values of those that resolved, and reasons of the others, in order. */
export async function settledWithin(limitMs: number, promises: readonly Promise<unknown>[]): Promise<unknown[]> {
  const all = await within(limitMs, Promise.allSettled(promises))
  return all.map((one) => (one.status === 'fulfilled' ? one.value : one.reason))
}
