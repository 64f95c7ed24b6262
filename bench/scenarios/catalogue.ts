/**
 * The live scenarios. Tasks are parked instead of busy where a scenario has more workers than the machine has
 * processors: a thread that sleeps holds its worker as a computation would, and the processors do not distort the
 * picture. Faults come 1 s into the measured time and last 1 s.
 */

import type { LiveScenario, RunTimes, TaskShare } from './live-scenario.js'

const parked = (runTimes: RunTimes, share = 1): TaskShare => ({ share, work: 'parked', runTimes })

const base = {
  workers: 4,
  load: 0.7,
  arrivals: { kind: 'poisson' },
  warm: true,
  warmUpMs: 500,
  measuredMs: 3_000,
} as const

const exponential5 = [parked({ kind: 'exponential', meanMs: 5 })]
const fixed5 = [parked({ kind: 'fixed', ms: 5 })]

/** Loads of the curve "latency against load". */
export const curveLoads = [0.3, 0.5, 0.7, 0.85, 0.95] as const

export const curveName = (load: number): string => `exponential at ${load}`

const curve: LiveScenario[] = curveLoads.map((load) => ({
  ...base,
  name: curveName(load),
  title: `exponential 5 ms parked at ${load * 100} % of 4 workers`,
  load,
  mix: exponential5,
}))

export const liveScenarios: readonly LiveScenario[] = [
  {
    ...base,
    name: 'uniform',
    title: 'busy tasks of 1 ms, evenly spaced, at 60 % of 2 workers',
    arrivals: { kind: 'constant' },
    workers: 2,
    load: 0.6,
    mix: [{ share: 1, work: 'busy', runTimes: { kind: 'fixed', ms: 1 } }],
  },
  ...curve,
  {
    ...base,
    name: 'bimodal',
    title: '95 % of 1 ms, 5 % of 100 ms, parked, at 70 % of 4 workers',
    mix: [parked({ kind: 'fixed', ms: 1 }, 0.95), parked({ kind: 'fixed', ms: 100 }, 0.05)],
  },
  {
    ...base,
    name: 'pareto',
    title: 'Pareto run times with alpha 1.5, 1 to 200 ms, parked, at 70 % of 4 workers',
    mix: [parked({ kind: 'pareto', alpha: 1.5, minMs: 1, maxMs: 200 })],
  },
  {
    ...base,
    name: 'input and output',
    title: 'timers of 20 ms, about 32 in flight on each of 2 workers at full load, here at 50 %',
    workers: 2,
    load: 0.5,
    mix: [{ share: 1, work: 'timer', runTimes: { kind: 'fixed', ms: 20 } }],
  },
  {
    ...base,
    name: 'mixed',
    title: '80 % timers of 20 ms, 20 % parked tasks of 5 ms, at 60 % of 4 workers',
    load: 0.6,
    mix: [{ share: 0.8, work: 'timer', runTimes: { kind: 'fixed', ms: 20 } }, parked({ kind: 'fixed', ms: 5 }, 0.2)],
  },
  {
    ...base,
    name: 'stall, busy loop',
    title: 'parked tasks of 5 ms at 50 % of 4 workers; one worker in a busy loop for 1 s',
    load: 0.5,
    mix: fixed5,
    fault: { kind: 'block', work: 'busy', atMs: 1_000, ms: 1_000 },
  },
  {
    ...base,
    name: 'stall, Atomics.wait',
    title: 'parked tasks of 5 ms at 50 % of 4 workers; one worker asleep for 1 s',
    load: 0.5,
    mix: fixed5,
    fault: { kind: 'block', work: 'parked', atMs: 1_000, ms: 1_000 },
  },
  {
    ...base,
    name: 'rolling stalls',
    title: 'exponential 5 ms parked at 70 % of 4 workers; each in turn stands still for 150 ms, one a second',
    mix: exponential5,
    fault: { kind: 'rolling', everyMs: 1_000, ms: 150, workers: 4 },
  },
  {
    ...base,
    name: 'slow worker',
    title: 'exponential 5 ms parked at 60 % of 4 workers, one of which takes three times as long',
    load: 0.6,
    mix: exponential5,
    fault: { kind: 'slow', factor: 3, workers: 4 },
  },
  {
    ...base,
    name: 'crash',
    title: 'exponential 5 ms parked at 60 % of 4 workers; a task ends its thread',
    load: 0.6,
    mix: exponential5,
    fault: { kind: 'crash', atMs: 1_000 },
  },
  {
    ...base,
    name: 'large payload',
    title: '1 MiB copied with each parked task of 5 ms, at 50 % of 2 workers',
    workers: 2,
    load: 0.5,
    mix: [{ ...parked({ kind: 'fixed', ms: 5 }), payloadBytes: 2 ** 20 }],
  },
  {
    ...base,
    name: 'ramp to overload',
    title: 'exponential 5 ms parked, load growing from 0.5 to 1.2 of 4 workers',
    load: 0.5,
    arrivals: { kind: 'ramp', toLoad: 1.2 },
    mix: exponential5,
  },
  {
    ...base,
    name: 'bursts',
    title: 'exponential 5 ms parked, 100 ms on and 100 ms off, 60 % of 4 workers on average',
    load: 0.6,
    arrivals: { kind: 'bursty', onMs: 100, offMs: 100 },
    mix: exponential5,
  },
  {
    ...base,
    name: 'cold start',
    title: 'exponential 5 ms parked at 70 % of 4 workers that the first arrival has to wait for',
    mix: exponential5,
    warm: false,
    warmUpMs: 0,
    measuredMs: 1_500,
  },
]

export function liveScenario(name: string): LiveScenario {
  const found = liveScenarios.find((scenario) => scenario.name === name)
  if (found === undefined) throw new RangeError(`no scenario '${name}'`)
  return found
}
