/** From a scenario and a seed to the tasks and their times: the same for every system. */

import type { RandomSource } from '../../src/base/random.js'
import { type Arrivals, capacityPerSecond, type LiveScenario, type RunTimes, type TaskShare } from './live-scenario.js'

export interface Arrival {
  /** From the start of the warm-up, ms. */
  readonly atMs: number
  readonly part: TaskShare
  readonly runMs: number
}

/** Timers that one worker is expected to hold at once. */
const ioWindow = 32

const exponential = (random: RandomSource): number => -Math.log(1 - random())

export function drawRunMs(runTimes: RunTimes, random: RandomSource): number {
  switch (runTimes.kind) {
    case 'fixed':
      return runTimes.ms
    case 'exponential':
      return runTimes.meanMs * exponential(random)
    case 'pareto':
      return Math.min(runTimes.maxMs, runTimes.minMs / (1 - random()) ** (1 / runTimes.alpha))
  }
}

function drawPart(mix: readonly TaskShare[], random: RandomSource): TaskShare {
  let rest = random()
  for (const part of mix) {
    if (rest < part.share) return part
    rest -= part.share
  }
  return mix.at(-1) as TaskShare
}

/** Arrivals per second at a moment, for the kinds whose rate changes. */
function rateAt(arrivals: Arrivals, atMs: number, lengthMs: number, load: number, capacity: number): number {
  switch (arrivals.kind) {
    case 'poisson':
    case 'constant':
      return load * capacity
    case 'bursty': {
      const { onMs, offMs } = arrivals
      return atMs % (onMs + offMs) < onMs ? (load * capacity * (onMs + offMs)) / onMs : 0
    }
    case 'ramp':
      return (load + ((arrivals.toLoad - load) * atMs) / lengthMs) * capacity
  }
}

/** The highest rate that `rateAt` can give. */
function peakRate(arrivals: Arrivals, load: number, capacity: number): number {
  if (arrivals.kind === 'bursty') return (load * capacity * (arrivals.onMs + arrivals.offMs)) / arrivals.onMs
  if (arrivals.kind === 'ramp') return Math.max(load, arrivals.toLoad) * capacity
  return load * capacity
}

export function arrivalsOf(scenario: LiveScenario, random: RandomSource): Arrival[] {
  const { arrivals, load } = scenario
  const lengthMs = scenario.warmUpMs + scenario.measuredMs
  const capacity = capacityPerSecond(scenario, ioWindow)
  const peak = peakRate(arrivals, load, capacity)
  const list: Arrival[] = []
  let atMs = 0
  for (;;) {
    atMs += (arrivals.kind === 'constant' ? 1 : exponential(random)) * (1_000 / peak)
    if (atMs >= lengthMs) return list
    // Thinning (Lewis and Shedler, 1979): drawn at the peak rate, kept with the share that the rate is of it.
    if (random() * peak >= rateAt(arrivals, atMs, lengthMs, load, capacity)) continue
    const part = drawPart(scenario.mix, random)
    list.push({ atMs, part, runMs: drawRunMs(part.runTimes, random) })
  }
}
