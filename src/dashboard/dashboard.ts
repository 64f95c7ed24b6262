/** A live page of a pool. */

import { createServer, type Server } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import { checkInteger, checkString, ownOptions } from '../base/checks.js'
import { systemClock } from '../base/clock.js'
import { OptionRangeError } from '../base/errors.js'
import { PoolMetrics } from '../metrics/metrics.js'
import type { ObservedPool } from '../metrics/observed-pool.js'
import { EventLog } from './event-log.js'
import { EventStream } from './event-stream.js'
import { readPageFiles } from './page-files.js'
import { answer, hostNames, isLoopback } from './page-server.js'
import { PoolState } from './pool-state.js'

/** The percentiles on the page are those of the last minute, ms. */
const WINDOW_MS = 60_000
/** More than the clients of the stream need. Connections beyond the limit are refused. */
const MAX_CONNECTIONS = 64

/** Options of `dashboard`. */
export interface DashboardOptions {
  /** The port to listen on. 0, the default, takes a free one. */
  readonly port?: number
  /** The address to listen on, which must be this machine's own: `127.0.0.1` (the default), `::1` or `localhost`. */
  readonly host?: string
  /** The pool's name on the page and in the metrics. Default `evenkeel`. */
  readonly name?: string
}

/** A page that is served until `close`. */
export interface Dashboard {
  /** The page's address. */
  readonly url: string
  readonly port: number
  /** Ends all connections and stops watching the pool. Resolves when the port is free. */
  close(): Promise<void>
}

/**
 * Serves a page that shows a pool live: shares of the range table, workers, queue, latencies, stalls. Also serves
 * `/metrics` for Prometheus, `/healthz` (503 when the pool has made no progress for 30 s), `/readyz` (503 when it
 * should get no work) and `/api/state` (JSON). Resolves once it listens; rejects when it cannot. The page is only for
 * this machine, read-only, and never keeps the process alive.
 *
 * While a page is open, the pool's state is read four times a second, in O(workers). Without a page nothing is read. At
 * most 16 pages at a time.
 */
export async function dashboard(pool: ObservedPool, options: DashboardOptions = {}): Promise<Dashboard> {
  const own = ownOptions('', options, ['port', 'host', 'name'])
  const wantedPort = own.port === undefined ? 0 : checkInteger('port', own.port, 0, 65_535)
  const name = own.name === undefined ? 'evenkeel' : checkString('name', own.name)
  const host = own.host === undefined ? '127.0.0.1' : checkString('host', own.host)
  if (!isLoopback(host)) {
    throw new OptionRangeError('host', `expected an address of this machine alone, such as 127.0.0.1, got ${host}`)
  }
  const files = await readPageFiles()
  const server = createServer()
  const port = await listen(server, host, wantedPort)

  const metrics = new PoolMetrics(pool, name, WINDOW_MS, undefined, systemClock)
  const events = new EventLog(pool, systemClock)
  const state = new PoolState(name, metrics, events, systemClock)
  const stream = new EventStream(state, systemClock)
  const parts = { files, state, stream, metrics, hostNames: hostNames(host, port) }
  server.on('request', (request, response) => answer(request, response, parts))

  let closed: Promise<void> | undefined
  return {
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${port}/`,
    port,
    close: () => {
      closed ??= new Promise((resolve) => {
        stream.close()
        events.close()
        metrics.close()
        server.close(() => resolve())
        server.closeAllConnections()
      })
      return closed
    },
  }
}

/** Resolves to the port. Neither the server nor a connection keeps the process alive. */
function listen(server: Server, host: string, port: number): Promise<number> {
  server.maxConnections = MAX_CONNECTIONS
  server.on('connection', (socket) => socket.unref())
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      server.unref()
      resolve((server.address() as AddressInfo).port)
    })
  })
}
