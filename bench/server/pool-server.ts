/** An HTTP server as an app would write it: each request is one task of the pool, its answer the task's result. */

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Contender } from '../contenders/contender.js'
import type { Trace, Work } from '../tasks.js'

export interface ServerWork {
  readonly cpu: Work
  readonly io: Work
  /** Started by a request to `/stall`, which is answered at once. */
  readonly stall: Work
}

export interface PoolServer {
  readonly port: number
  /** Requests whose task has not settled. */
  openRequests(): number
  /** Tasks that were rejected. */
  failedTasks(): number
  /** How long workers have stood still by request, ms. */
  stalledMs(): number
  close(): Promise<void>
}

/** Resolves when the server listens, on a free port of the loopback address. */
export async function openPoolServer(pool: Contender, work: ServerWork): Promise<PoolServer> {
  let openRequests = 0
  let failedTasks = 0
  let stalledMs = 0

  const run = async (task: 'hold' | 'nap', payload: Work): Promise<Trace | undefined> => {
    openRequests++
    try {
      return (await pool.run(task, payload)) as Trace
    } catch {
      failedTasks++
      return undefined
    } finally {
      openRequests--
    }
  }
  const answer = async (response: ServerResponse, task: 'hold' | 'nap', payload: Work): Promise<void> => {
    const trace = await run(task, payload)
    response.statusCode = trace === undefined ? 500 : 200
    response.end(trace === undefined ? 'failed' : `done by ${trace[0]}`)
  }
  const stall = async (): Promise<void> => {
    const trace = await run('hold', work.stall)
    if (trace !== undefined) stalledMs += trace[2] - trace[1]
  }

  const server = createServer((request, response) => {
    if (request.url === '/cpu') void answer(response, 'hold', work.cpu)
    else if (request.url === '/io') void answer(response, 'nap', work.io)
    else {
      response.statusCode = request.url === '/stall' ? 202 : 404
      response.end()
      if (request.url === '/stall') void stall()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    openRequests: () => openRequests,
    failedTasks: () => failedTasks,
    stalledMs: () => stalledMs,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
