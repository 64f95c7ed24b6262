/** The user's own task on the user's own samples. */

import { seededRandom } from '../../src/base/random.js'
import type { Contender } from '../contenders/contender.js'
import type { Measures, Probe } from '../harness/sample.js'
import { readSamples } from '../own/samples.js'
import { summarizeLatencies } from '../stats/quantiles.js'
import type { TaskName } from '../tasks.js'
import { poissonTimes, runOpenLoop } from './open-loop.js'
import { closePool, eachSystem, openPool, pauseMs, processorUs } from './pool.js'

export interface OwnWorkloadParameters {
  readonly task: string
  /** File of samples, one JSON value a line; they are taken in turn. */
  readonly samplesFile: string
  /** Open loop at this rate; in closed loop with `inFlight` callers when it is left out. */
  readonly tasksPerSecond?: number
  readonly inFlight: number
  readonly warmUpMs: number
  readonly measuredMs: number
}

type RunNext = () => Promise<unknown>

/** Samples in turn; the module's task names are not those of the bench. */
function turns(pool: Contender, given: OwnWorkloadParameters): RunNext {
  const samples = readSamples(given.samplesFile)
  let next = 0
  return () => pool.run(given.task as TaskName, samples[next++ % samples.length])
}

async function closedLoop(runNext: RunNext, given: OwnWorkloadParameters): Promise<Measures> {
  let settled = 0
  let failed = 0
  let stopped = false
  const caller = async (): Promise<void> => {
    while (!stopped) {
      await runNext().catch(() => failed++)
      settled++
    }
  }
  const callers = Array.from({ length: given.inFlight }, caller)
  await pauseMs(given.warmUpMs)
  const before = { settled, cpu: process.cpuUsage(), ms: performance.now() }
  await pauseMs(given.measuredMs)
  const count = settled - before.settled
  const measures = {
    tasksPerSecond: (count / (performance.now() - before.ms)) * 1_000,
    cpuUsPerTask: processorUs(before.cpu) / count,
  }
  stopped = true
  await Promise.all(callers)
  return { ...measures, failedShare: failed / settled }
}

async function openLoop(
  runNext: RunNext,
  given: OwnWorkloadParameters,
  perSecond: number,
  seed: number,
): Promise<{ measures: Measures; late: number }> {
  const times = poissonTimes(perSecond, given.warmUpMs + given.measuredMs, seededRandom(seed))
  const result = await runOpenLoop(
    times.map((atMs) => ({ atMs, send: runNext })),
    // The task may need every processor, so the generator must not hold one.
    { waitMs: 30_000, between: 'sleep' },
  )
  const latencies = [...times.keys()]
    .filter((at) => (times[at] as number) >= given.warmUpMs)
    .map((at) => result.latencyMs[at] as number)
    .filter((ms) => !Number.isNaN(ms))
  const { mean, p50, p99, max } = summarizeLatencies(latencies)
  const measures = {
    meanMs: mean,
    p50Ms: p50,
    p99Ms: p99,
    maxMs: max,
    failedShare: (times.length - result.settled + result.rejected) / times.length,
  }
  return { measures, late: result.generatorLateShare }
}

/**
 * Loads the module in every worker, which is no part of a rate or latency. Throws the first error when no task at all
 * succeeds: a module or a name that is wrong would otherwise be measured as very fast.
 */
async function tryOut(runNext: RunNext, workers: number): Promise<void> {
  const outcomes = await Promise.allSettled(Array.from({ length: 4 * workers }, runNext))
  const first = outcomes[0]
  if (first?.status === 'rejected' && outcomes.every(({ status }) => status === 'rejected')) throw first.reason
}

export const probeOwnWorkload: Probe = async ({ systems, parameters, seed }) => {
  const given = parameters as unknown as OwnWorkloadParameters
  let generatorLateShare = 0
  const figures = await eachSystem(systems, async (system) => {
    const pool = await openPool(system)
    const runNext = turns(pool, given)
    await tryOut(runNext, system.workers)
    if (given.tasksPerSecond === undefined) {
      const measures = await closedLoop(runNext, given)
      await closePool(pool)
      return { measures }
    }
    const { measures, late } = await openLoop(runNext, given, given.tasksPerSecond, seed)
    generatorLateShare = late
    await closePool(pool)
    return { measures }
  })
  return { systems: figures, generatorLateShare }
}
