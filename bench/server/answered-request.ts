/** Requests as the load generator saw them, and what becomes of their latencies. */

import { quantileOfSorted, sortedCopy } from '../stats/quantiles.js'

export type RequestKind = 'cpu' | 'io'

export interface AnsweredRequest {
  readonly kind: RequestKind
  /** From the start of the measured time, ms. */
  readonly sentMs: number
  readonly latencyMs: number
}

/**
 * The requests, and those that a connection could not send because it waited for an answer: one for every interval of
 * its rate that the wait was longer, each with what was left of the wait. Gil Tene's correction for coordinated
 * omission, as HdrHistogram's `recordValueWithExpectedInterval` does it.
 */
export function withOmitted(requests: readonly AnsweredRequest[], intervalMs: number): AnsweredRequest[] {
  return requests.flatMap((request) => {
    const all = [request]
    for (let late = 1; request.latencyMs - late * intervalMs >= intervalMs; late++) {
      const omittedMs = late * intervalMs
      all.push({ ...request, sentMs: request.sentMs + omittedMs, latencyMs: request.latencyMs - omittedMs })
    }
    return all
  })
}

/** Figures of the load generator; `windowMs` is the time for which the tail is also given apart. */
export function latencyFigures(
  requests: readonly AnsweredRequest[],
  windowMs: readonly [from: number, to: number],
): Record<string, number> {
  const latencies = (passes: (request: AnsweredRequest) => boolean): Float64Array =>
    sortedCopy(requests.filter(passes).map(({ latencyMs }) => latencyMs))
  const all = latencies(() => true)
  const [fromMs, toMs] = windowMs
  return {
    p50Ms: quantileOfSorted(all, 0.5),
    p99Ms: quantileOfSorted(all, 0.99),
    p999Ms: quantileOfSorted(all, 0.999),
    maxMs: quantileOfSorted(all, 1),
    cpuP99Ms: quantileOfSorted(
      latencies(({ kind }) => kind === 'cpu'),
      0.99,
    ),
    ioP99Ms: quantileOfSorted(
      latencies(({ kind }) => kind === 'io'),
      0.99,
    ),
    middleP99Ms: quantileOfSorted(
      latencies(({ sentMs }) => sentMs >= fromMs && sentMs < toMs),
      0.99,
    ),
  }
}
