/**
 * Load on an HTTP server by autocannon, over a fixed number of connections that stay open.
 *
 * Two things about autocannon (8.0) decide how it is used here. It sends a connection's requests of a second back to
 * back when the second begins, and begins all connections' seconds together: a rate given to one instance is one burst
 * a second. So every connection is an instance of its own, begun at a random moment of the first second, and the bursts
 * are spread out. And when a rate is given, its histogram takes a request to be due every millisecond, whatever the
 * rate, and counts an answer of 10 ms ten times. So latencies are those it times for each answer, and what was due
 * meanwhile is added by the connection's true rate (`withOmitted`).
 */

import { get } from 'node:http'
import type { Instance, Request, Result } from 'autocannon'
import autocannon from 'autocannon'
import { seededRandom } from '../../src/base/random.js'
import { nowMs, pauseMs } from '../probes/pool.js'
import type { AnsweredRequest, RequestKind } from './answered-request.js'

export interface HttpLoadPlan {
  readonly port: number
  readonly connections: number
  /** Requests a second of one connection; without it a connection sends the next one when the last is answered. */
  readonly perConnectionPerSecond?: number
  readonly warmUpMs: number
  readonly measuredMs: number
  /** From the start of the measured time: when one worker is to stall. */
  readonly stallAtMs?: number
  readonly seed: number
}

export interface HttpLoadResult {
  /** Requests sent in the measured time, in the order of their answers. */
  readonly answered: readonly AnsweredRequest[]
  /** Statuses other than 2xx, errors and timeouts of the whole run, warm-up included. */
  readonly failed: number
}

/** One in five requests is I/O. */
const cycle: readonly RequestKind[] = ['cpu', 'cpu', 'cpu', 'cpu', 'io']

/** The load goes on for so long after the measured time: an answer that comes late comes under the same load. */
const runOutMs = 1_000

/** Asks for the stall over a connection beside those that are measured. */
function requestStall(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/stall', agent: false }, (response) => {
      response.resume()
      if (response.statusCode === 202) response.on('end', resolve)
      else reject(new Error(`the stall was answered with ${response.statusCode}`))
    }).on('error', reject)
  })
}

/** One connection: resolves with autocannon's own counts when its time is over. */
function runConnection(
  plan: HttpLoadPlan,
  index: number,
  durationMs: number,
  answered: (kind: RequestKind, latencyMs: number) => void,
): Promise<Result> {
  let kind: RequestKind = 'cpu'
  const requests: Request[] = cycle.map((_, position) => {
    const own = cycle[(position + index) % cycle.length] as RequestKind
    return {
      path: `/${own}`,
      // Called just before the event of the same answer.
      onResponse: () => {
        kind = own
      },
    }
  })
  return new Promise((resolve, reject) => {
    const instance: Instance = autocannon(
      {
        url: `http://127.0.0.1:${plan.port}`,
        connections: 1,
        duration: durationMs / 1_000,
        requests,
        ...(plan.perConnectionPerSecond === undefined ? {} : { connectionRate: plan.perConnectionPerSecond }),
      },
      (error: unknown, result: Result) => (error ? reject(error) : resolve(result)),
    )
    instance.on('response', (_client, _status, _bytes, latencyMs) => answered(kind, latencyMs))
  })
}

/** Runs the load; `phase` is told when the measured time begins and when it ends. */
export async function runHttpLoad(
  plan: HttpLoadPlan,
  phase: (name: 'measuring' | 'measured') => void,
): Promise<HttpLoadResult> {
  const random = seededRandom(plan.seed)
  const startMs = nowMs() + plan.warmUpMs
  const endMs = startMs + plan.measuredMs
  const answered: AnsweredRequest[] = []

  const connections = Array.from({ length: plan.connections }, async (_, index) => {
    await pauseMs(random() * 1_000)
    return runConnection(plan, index, endMs + runOutMs - nowMs(), (kind, latencyMs) => {
      const sentMs = nowMs() - latencyMs - startMs
      if (sentMs >= 0 && sentMs < plan.measuredMs) answered.push({ kind, sentMs, latencyMs })
    })
  })
  const phases = async (): Promise<void> => {
    await pauseMs(startMs - nowMs())
    phase('measuring')
    if (plan.stallAtMs !== undefined) {
      await pauseMs(startMs + plan.stallAtMs - nowMs())
      await requestStall(plan.port)
    }
    await pauseMs(endMs - nowMs())
    phase('measured')
  }
  const [results] = await Promise.all([Promise.all(connections), phases()])
  // autocannon counts a timeout among the errors too.
  const failed = results.reduce((sum, { non2xx, errors }) => sum + non2xx + errors, 0)
  return { answered, failed }
}
