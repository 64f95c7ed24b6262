/** The measures of a live scenario from its schedule and the traces of its tasks. */

import type { SystemFigures } from '../harness/sample.js'
import type { Arrival } from '../scenarios/arrivals.js'
import type { LiveScenario } from '../scenarios/live-scenario.js'
import { quantileOfSorted, sortedCopy, summarizeLatencies } from '../stats/quantiles.js'
import { herdIndex, jainFairness, pileOnIndex } from '../stats/spread.js'
import type { Trace } from '../tasks.js'
import { idealLatenciesMs, rollingStalls } from './ideal-queue.js'
import { busyMsByThread, startsByInterval, type TaskRun, waitingAt, wastedShare } from './occupation.js'
import type { OpenLoopTimes } from './open-loop.js'

/** A herd is looked for in the intervals in which a worker reports its load. */
const herdIntervalMs = 20

/** Columns of the heat map. */
const heatIntervalMs = 50

/** Quantiles of the percentile plot: even on a logarithmic axis of 1 / (1 - q). */
export const plottedQuantiles = Array.from({ length: 25 }, (_, step) => 1 - 10 ** (-step / 8))

export interface LiveRun {
  readonly scenario: LiveScenario
  readonly arrivals: readonly Arrival[]
  readonly times: OpenLoopTimes
  /** Starts of each task as counted in shared memory. */
  readonly starts: Int32Array
  readonly blockedThread: number | undefined
}

/** Time after the end of the fault until no more tasks wait than in 95 % of the moments before it, ms. */
function recoveryMs(runs: readonly TaskRun[], fromMs: number, faultMs: number, overMs: number, toMs: number): number {
  const before = sortedCopy(waitingAt(runs, fromMs, faultMs, 1))
  const usual = quantileOfSorted(before, 0.95)
  const after = waitingAt(runs, overMs, toMs, 1)
  const recovered = after.findIndex((waiting) => waiting <= usual)
  return recovered < 0 ? toMs - overMs : recovered
}

export function liveFigures({ scenario, arrivals, times, starts, blockedThread }: LiveRun): SystemFigures {
  const counted = [...arrivals.keys()].filter((at) => (arrivals[at] as Arrival).atMs >= scenario.warmUpMs)
  const settledAt = counted.filter((at) => times.values[at] !== undefined)
  const latencies = settledAt.map((at) => times.latencyMs[at] as number)
  const runs: TaskRun[] = settledAt.map((at) => {
    const [thread, startedMs, finishedMs] = times.values[at] as Trace
    return { thread, startedMs, finishedMs, scheduledMs: times.startMs + (arrivals[at] as Arrival).atMs }
  })
  const fromMs = times.startMs + scenario.warmUpMs
  const toMs = fromMs + scenario.measuredMs
  const busy = busyMsByThread(runs)
  const threads = [...busy.keys()].sort((a, b) => (a === blockedThread ? -1 : b === blockedThread ? 1 : a - b))
  const summary = summarizeLatencies(latencies)
  const measures: Record<string, number> = {
    meanMs: summary.mean,
    p50Ms: summary.p50,
    p90Ms: summary.p90,
    p99Ms: summary.p99,
    maxMs: summary.max,
    tasks: counted.length,
    tasksPerSecond: (settledAt.length / scenario.measuredMs) * 1_000,
    fairness: jainFairness([...busy.values(), ...Array(Math.max(0, scenario.workers - busy.size)).fill(0)]),
    herd: herdIndex(startsByInterval(runs, threads, fromMs, toMs, herdIntervalMs)),
    lostTasks: counted.length - settledAt.length,
    doubledTasks: starts.filter((count) => count > 1).length,
  }
  if (!Number.isNaN(summary.p999)) measures.p999Ms = summary.p999
  if (scenario.mix.every((part) => part.work !== 'timer')) measures.wastedShare = wastedShare(runs, scenario.workers)
  const fault = scenario.fault
  if (fault?.kind === 'block' || fault?.kind === 'crash') {
    const faultMs = fromMs + fault.atMs
    const overMs = faultMs + (fault.kind === 'block' ? fault.ms : 0)
    measures.recoveryMs = recoveryMs(runs, fromMs, faultMs, overMs, toMs)
    if (fault.kind === 'block') {
      const during = runs.filter((run) => run.scheduledMs >= faultMs && run.scheduledMs < overMs)
      measures.pileOn = pileOnIndex(during.filter((run) => run.thread === blockedThread).length, during.length)
    }
  }
  if (fault?.kind === 'rolling') {
    const stalls = rollingStalls(fault, times.startMs, scenario.warmUpMs + scenario.measuredMs)
    const ideal = idealLatenciesMs(arrivals, stalls)
    measures.idealP99Ms = quantileOfSorted(sortedCopy(counted.map((at) => ideal[at] as number)), 0.99)
  }
  const sorted = sortedCopy(latencies)
  const heat = startsByInterval(runs, threads, fromMs, toMs, heatIntervalMs)
  const heatSeries = threads.map((_, column) => [`worker ${column}`, heat.map((row) => row[column] as number)] as const)
  return {
    measures,
    series: {
      quantilesMs: plottedQuantiles.map((fraction) => quantileOfSorted(sorted, fraction)),
      ...(fault === undefined ? {} : Object.fromEntries(heatSeries)),
    },
  }
}
