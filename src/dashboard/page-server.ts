/** Answers requests for the page, its stream, and four addresses for programs; and refuses all others. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIPv6 } from 'node:net'
import type { PoolMetrics } from '../metrics/metrics.js'
import type { EventStream } from './event-stream.js'
import type { PageFile } from './page-files.js'
import { livenessOf, type PoolState, readinessOf } from './pool-state.js'

/** What is served. */
export interface PageParts {
  readonly files: ReadonlyMap<string, PageFile>
  readonly state: PoolState
  readonly stream: EventStream
  readonly metrics: PoolMetrics
  /** The `Host` headers that are accepted. */
  readonly hostNames: ReadonlySet<string>
}

interface Reply {
  readonly status: number
  readonly contentType: string
  readonly body: string | Buffer
}

/** Answers one request. Only reads: no request can change the pool. */
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

/** Headers of every answer: nothing is loaded from elsewhere, and nobody may frame, sniff or store it. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

/** Whether the name or address means only this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

/** All `Host` headers that name this server. */
export function hostNames(host: string, port: number): ReadonlySet<string> {
  const names = [host, 'localhost', '127.0.0.1', '::1'].map((name) => (isIPv6(name) ? `[${name}]` : name))
  // Browsers leave out port 80.
  return new Set(names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])))
}

/**
 * The HTTP status of a refusal, or undefined. The page is only for this machine: a web site can send a browser here
 * under a name of its own (DNS rebinding), but then the `Host` header has that name.
 */
export function refusalOf(
  method: string | undefined,
  host: string | undefined,
  allowed: ReadonlySet<string>,
): 403 | 405 | undefined {
  if (host === undefined || !allowed.has(host.toLowerCase())) return 403
  return method === 'GET' ? undefined : 405
}
