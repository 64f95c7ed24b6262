/** One worker is blocked while a steady stream of short tasks arrives: who waits behind the block? */

import type { Contender } from '../contenders/contender.js'
import type { Probe, SystemFigures } from '../harness/sample.js'
import { quantileOfSorted, sortedCopy } from '../stats/quantiles.js'
import type { Trace, WorkKind } from '../tasks.js'
import { runOpenLoop, type ScheduledTask } from './open-loop.js'
import { eachSystem, nowMs, pauseMs, withWarmPool } from './pool.js'

export interface BlockedWorkerParameters {
  /** A busy loop takes a processor with it, a parked thread does not. */
  readonly blockKind: Exclude<WorkKind, 'timer'>
  readonly blockMs: number
  readonly tasks: number
  readonly taskMs: number
  readonly everyMs: number
}

/** A task is late when it settles more than this after its scheduled time. */
export const lateAfterMs = 250

/** The block has certainly begun after this. */
const headStartMs = 50

/** Time line: one bin of this length per column of the heat map. */
const binMs = 50

interface Shares {
  readonly pileOnShare: number
  readonly largestHealthyShare: number
}

/** Shares of the tasks by thread that ran them; the blocked thread is the one that ran the block. */
function shares(traces: readonly Trace[], blockedThread: number): Shares {
  const counts = new Map<number, number>()
  for (const [thread] of traces) counts.set(thread, (counts.get(thread) ?? 0) + 1)
  const behind = counts.get(blockedThread) ?? 0
  counts.delete(blockedThread)
  const healthy = traces.length - behind
  return {
    pileOnShare: behind / traces.length,
    largestHealthyShare: healthy === 0 ? Number.NaN : Math.max(...counts.values()) / healthy,
  }
}

/** Tasks started per thread and bin, one series a thread, the blocked one first. */
function heatMap(traces: readonly Trace[], blockedThread: number, startMs: number): Record<string, number[]> {
  const bins = 1 + Math.max(0, ...traces.map(([, started]) => Math.floor((started - startMs) / binMs)))
  const threads = [...new Set(traces.map(([thread]) => thread))].sort((a, b) => a - b)
  const order = [blockedThread, ...threads.filter((thread) => thread !== blockedThread)]
  return Object.fromEntries(
    order.map((thread, at) => {
      const counts: number[] = new Array(bins).fill(0)
      for (const [ran, started] of traces)
        if (ran === thread) (counts[Math.floor((started - startMs) / binMs)] as number)++
      return [`worker ${at}`, counts]
    }),
  )
}

async function blockOne(pool: Contender, given: BlockedWorkerParameters): Promise<SystemFigures & { late: number }> {
  const block = pool.run('hold', { kind: given.blockKind, ms: given.blockMs })
  await pauseMs(headStartMs)
  const schedule: ScheduledTask[] = Array.from({ length: given.tasks }, (_, index) => ({
    atMs: index * given.everyMs,
    send: () => pool.run('hold', { kind: 'parked', ms: given.taskMs }),
  }))
  const times = await runOpenLoop(schedule, { waitMs: given.blockMs + 5_000 })
  const blockTrace = (await block) as Trace
  // A task that never settled counts with the time it has waited so far.
  const waitedMs = nowMs() - times.startMs
  const latencies = sortedCopy(times.latencyMs.map((ms) => (Number.isNaN(ms) ? waitedMs : ms)))
  const traces = times.values.filter((value) => value !== undefined) as Trace[]
  const { pileOnShare, largestHealthyShare } = shares(traces, blockTrace[0])
  return {
    late: times.generatorLateShare,
    measures: {
      lateTasks: latencies.filter((ms) => ms > lateAfterMs).length,
      pileOnShare,
      largestHealthyShare,
      p50Ms: quantileOfSorted(latencies, 0.5),
      p99Ms: quantileOfSorted(latencies, 0.99),
      maxMs: quantileOfSorted(latencies, 1),
      lostTasks: given.tasks - times.settled + times.rejected,
    },
    series: heatMap(traces, blockTrace[0], times.startMs),
  }
}

export const probeBlockedWorker: Probe = async ({ systems, parameters }) => {
  let generatorLateShare = 0
  const figures = await eachSystem(systems, (system) =>
    withWarmPool(system, async (pool) => {
      const { late, ...rest } = await blockOne(pool, parameters as unknown as BlockedWorkerParameters)
      generatorLateShare = late
      return rest
    }),
  )
  return { systems: figures, generatorLateShare }
}
