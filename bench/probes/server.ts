/**
 * An HTTP server whose requests are tasks, under load from another process. This process is the server: its main loop
 * has the pool and the connections, nothing else.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Contender } from '../contenders/contender.js'
import type { Probe, SystemFigures } from '../harness/sample.js'
import { generateLoad } from '../server/load-generator.js'
import { delayQuantileMs, delayResolutionMs } from '../server/loop-delay.js'
import { openPoolServer, type PoolServer } from '../server/pool-server.js'
import type { Work } from '../tasks.js'
import { eachSystem, nowMs, pauseMs, processorUs, withWarmPool } from './pool.js'

export interface ServerParameters {
  readonly connections: number
  /** Requests a second of one connection; without it each sends its next request when the last is answered. */
  readonly perConnectionPerSecond?: number
  readonly cpu: Work
  readonly io: Work
  readonly stallMs: number
  /** Whether a worker stalls in the middle of the run. */
  readonly stall: boolean
  readonly warmUpMs: number
  readonly measuredMs: number
}

/** A request that is still open so long after the load has ended is counted as failed. */
const waitMs = 5_000

async function untilAnswered(server: PoolServer): Promise<void> {
  const endMs = nowMs() + waitMs
  while (server.openRequests() > 0 && nowMs() < endMs) await pauseMs(5)
}

async function serve(pool: Contender, given: ServerParameters, seed: number): Promise<SystemFigures> {
  const server = await openPoolServer(pool, {
    cpu: given.cpu,
    io: given.io,
    stall: { kind: 'parked', ms: given.stallMs },
  })
  const middleMs = (given.measuredMs - given.stallMs) / 2
  const delay = monitorEventLoopDelay({ resolution: delayResolutionMs })
  let cpuBefore = process.cpuUsage()
  let cpuUs = 0
  const { failedRequests = Number.NaN, ...figures } = await generateLoad(
    {
      plan: {
        port: server.port,
        connections: given.connections,
        ...(given.perConnectionPerSecond === undefined ? {} : { perConnectionPerSecond: given.perConnectionPerSecond }),
        warmUpMs: given.warmUpMs,
        measuredMs: given.measuredMs,
        ...(given.stall ? { stallAtMs: middleMs } : {}),
        seed,
      },
      windowMs: [middleMs, middleMs + given.stallMs],
    },
    (phase) => {
      if (phase === 'measuring') {
        delay.enable()
        cpuBefore = process.cpuUsage()
      } else {
        delay.disable()
        cpuUs = processorUs(cpuBefore)
      }
    },
  )
  await untilAnswered(server)
  const unanswered = server.openRequests()
  await server.close()
  return {
    measures: {
      ...figures,
      // A failed task is answered with 500, so it is among the failed requests unless the connection was gone.
      failedRequests: Math.max(failedRequests, server.failedTasks()) + unanswered,
      loopDelayP50Ms: delayQuantileMs(delay, 0.5),
      loopDelayP99Ms: delayQuantileMs(delay, 0.99),
      cpuUsPerRequest: cpuUs / (figures.requests ?? Number.NaN),
      stalledMs: server.stalledMs(),
    },
  }
}

/** Latencies as the clients saw them, ms; delay of the server's main loop, ms; requests that failed. */
export const probeServer: Probe = async ({ systems, parameters, seed }) => ({
  systems: await eachSystem(systems, (system) =>
    withWarmPool(system, (pool) => serve(pool, parameters as unknown as ServerParameters, seed)),
  ),
})
