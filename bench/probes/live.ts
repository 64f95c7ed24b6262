/** A live scenario in open loop: latencies from the scheduled time, and what the workers did meanwhile. */

import { seededRandom } from '../../src/base/random.js'
import type { Contender } from '../contenders/contender.js'
import type { Probe, SystemFigures, SystemSpec } from '../harness/sample.js'
import { type Arrival, arrivalsOf } from '../scenarios/arrivals.js'
import type { LiveScenario } from '../scenarios/live-scenario.js'
import type { Trace, Work } from '../tasks.js'
import { faultVariable } from '../worker-faults.js'
import { liveFigures } from './live-figures.js'
import { runOpenLoop, type ScheduledTask } from './open-loop.js'
import { closePool, nowMs, openPool, pauseMs, warmThreads } from './pool.js'

/** What is still open so long after the last arrival is counted as lost. */
const waitMs = 5_000

/** Submits the task that causes the trouble; resolves with the thread that was blocked, once that is known. */
async function causeFault(pool: Contender, scenario: LiveScenario, startMs: number): Promise<number | undefined> {
  const fault = scenario.fault
  if (fault?.kind !== 'block' && fault?.kind !== 'crash') return undefined
  await pauseMs(startMs + scenario.warmUpMs + fault.atMs - nowMs())
  if (fault.kind === 'block') {
    const trace = (await pool.run('hold', { kind: fault.work, ms: fault.ms })) as Trace
    return trace[0]
  }
  // The task ends its thread, so it must fail; a pool that never says so is not waited for.
  await Promise.race([pool.run('die', 3).catch(() => {}), pauseMs(waitMs)])
  return undefined
}

function scheduleOf(pool: Contender, arrivals: readonly Arrival[], starts: Int32Array): ScheduledTask[] {
  const buffers = new Map<number, Uint8Array>()
  const bytesOf = (sizeBytes: number): Uint8Array => {
    const bytes = buffers.get(sizeBytes) ?? new Uint8Array(sizeBytes).fill(1)
    buffers.set(sizeBytes, bytes)
    return bytes
  }
  return arrivals.map(({ atMs, part, runMs }, index) => {
    const work: Work = { kind: part.work, ms: runMs, starts, index }
    const payload = part.payloadBytes === undefined ? work : { ...work, bytes: bytesOf(part.payloadBytes) }
    return { atMs, send: () => pool.run(part.work === 'timer' ? 'nap' : 'hold', payload) }
  })
}

async function measureLive(
  system: SystemSpec,
  scenario: LiveScenario,
  seed: number,
): Promise<{ figures: SystemFigures; late: number }> {
  const arrivals = arrivalsOf(scenario, seededRandom(seed))
  const starts = new Int32Array(new SharedArrayBuffer(4 * Math.max(1, arrivals.length)))
  const pool = await openPool(system)
  if (scenario.warm) await warmThreads(pool, system.workers)
  const rolling = scenario.fault?.kind === 'rolling' ? scenario.fault : undefined
  if (rolling !== undefined) {
    // The stalls come by the clock: every system starts at the same time before the next one. Whose turn it then is
    // differs, but workers are alike.
    await pauseMs(rolling.everyMs - (nowMs() % rolling.everyMs))
  }
  let fault: Promise<number | undefined> = Promise.resolve(undefined)
  const times = await runOpenLoop(scheduleOf(pool, arrivals, starts), {
    waitMs,
    // Busy tasks need the processor that a generator without sleep would hold.
    between: scenario.mix.some((part) => part.work === 'busy') ? 'sleep' : 'turn',
    started: (startMs) => {
      fault = causeFault(pool, scenario, startMs)
    },
  })
  const blockedThread = await fault
  const figures = liveFigures({ scenario, arrivals, times, starts, blockedThread })
  await closePool(pool)
  return { figures, late: times.generatorLateShare }
}

export const probeLive: Probe = async ({ systems, parameters, seed }) => {
  const scenario = parameters as unknown as LiveScenario
  const own = scenario.fault?.kind
  if (own === 'rolling' || own === 'slow') process.env[faultVariable] = JSON.stringify(scenario.fault)
  const results: Record<string, SystemFigures> = {}
  let generatorLateShare = 0
  for (const system of systems) {
    const { figures, late } = await measureLive(system, scenario, seed)
    results[system.label] = figures
    generatorLateShare = Math.max(generatorLateShare, late)
  }
  return { systems: results, generatorLateShare }
}
