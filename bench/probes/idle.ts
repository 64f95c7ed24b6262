/** What a pool costs that has nothing to do. */

import type { Probe } from '../harness/sample.js'
import { closePool, eachSystem, openPool, pauseMs, processorUs, warmThreads } from './pool.js'

export interface IdleParameters {
  readonly idleMs: number
  /** Threads settle (compilation, first collection) before memory and time are read. */
  readonly settleMs: number
}

const collect = (): void => {
  // Two passes: the second frees what finalisers of the first released.
  globalThis.gc?.()
  globalThis.gc?.()
}

/** cpuPercentOfCore over the idle time; rssMiBPerWorker is the growth of the process per thread. */
export const probeIdle: Probe = async ({ systems, parameters }) => {
  const { idleMs, settleMs } = parameters as unknown as IdleParameters
  return {
    systems: await eachSystem(systems, async (system) => {
      collect()
      const rssBefore = process.memoryUsage.rss()
      const pool = await openPool(system)
      await warmThreads(pool, system.workers)
      collect()
      await pauseMs(settleMs)
      const rssBytes = process.memoryUsage.rss() - rssBefore
      const cpuBefore = process.cpuUsage()
      const startMs = performance.now()
      await pauseMs(idleMs)
      const cpuPercentOfCore = processorUs(cpuBefore) / 10 / (performance.now() - startMs)
      await closePool(pool)
      return { measures: { cpuPercentOfCore, rssMiBPerWorker: rssBytes / 2 ** 20 / system.workers } }
    }),
  }
}
