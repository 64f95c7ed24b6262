/** Answers requests: the page, its stream, and four addresses for programs. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PoolMetrics } from '../metrics/metrics.js'
import type { EventStream } from './event-stream.js'
import type { PageFile } from './page-files.js'
import { livenessOf, readinessOf } from './pool-health.js'
import type { PoolState } from './pool-state.js'
import { refusalOf, SAFE_HEADERS } from './request-guard.js'

/** What is served, and to whom. */
export interface PageParts {
  readonly files: ReadonlyMap<string, PageFile>
  readonly state: PoolState
  readonly stream: EventStream
  readonly metrics: PoolMetrics
  /** `Host` headers that are answered. */
  readonly hostNames: ReadonlySet<string>
}

interface Reply {
  readonly status: number
  readonly contentType: string
  readonly body: string | Buffer
}

/** Answers one request. Reads only; nothing of the pool can be changed from here. */
export function answer(request: IncomingMessage, response: ServerResponse, parts: PageParts): void {
  for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value)
  const refusal = refusalOf(request.method, request.headers.host, parts.hostNames)
  if (refusal === 405) response.setHeader('allow', 'GET')
  const path = request.url?.split('?', 1)[0] ?? ''
  if (refusal === undefined && path === '/api/stream' && parts.stream.add(response)) return
  const { status, contentType, body } =
    refusal === undefined ? replyTo(path, request.headers.accept, parts) : text(refusal, '')
  response.writeHead(status, { 'content-type': contentType }).end(body)
}

function replyTo(path: string, accept: string | undefined, { state, metrics, files }: PageParts): Reply {
  switch (path) {
    case '/api/stream':
      return text(503, 'too many clients')
    case '/api/state':
      return json(200, state.whole())
    case '/healthz': {
      const liveness = livenessOf(metrics.figures().snapshot)
      return json(liveness.status === 'ok' ? 200 : 503, liveness)
    }
    case '/readyz': {
      const readiness = readinessOf(metrics.figures().snapshot)
      return json(readiness.status === 'ready' ? 200 : 503, readiness)
    }
    case '/metrics': {
      const page = metrics.page(accept)
      return { status: 200, contentType: page.contentType, body: page.text }
    }
    default: {
      const file = files.get(path)
      return file === undefined ? text(404, '') : { status: 200, ...file }
    }
  }
}

function json(status: number, value: unknown): Reply {
  return { status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(value) }
}

function text(status: number, body: string): Reply {
  return { status, contentType: 'text/plain; charset=utf-8', body }
}
