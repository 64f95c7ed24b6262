import { bestSystem, judge, pairedRatios, systemOf } from '../harness/compare-systems.js'
import type { GoalResult, ScenarioResult } from '../harness/report.js'
import type { Scenario } from '../harness/scenario.js'
import type { BenchCommand } from './command.js'
import { evenkeel, isPiscina, piscina } from './systems.js'

const workers = 4
const connections = 64
const stallMs = 1_000

interface Traffic {
  readonly name: string
  readonly title: string
  /** Absent: each connection sends its next request when the last is answered. */
  readonly perConnectionPerSecond?: number
}

/**
 * Parked tasks of 2 ms leave the processors to the server, the clients and the hand-over, so it is the four workers that
 * are loaded. 960 requests a second fill 1.5 of them with CPU tasks; a pool that gives an I/O task a whole worker needs
 * 1.9 more for the timers, so at one task per worker too the load stays below what four can do.
 */
const traffics: readonly Traffic[] = [
  { name: 'steady', title: '15 requests a second each', perConnectionPerSecond: 15 },
  { name: 'saturated', title: 'each sends its next request at once' },
]

const scenarioName = (traffic: Traffic, stall: boolean): string => (stall ? `${traffic.name}, stall` : traffic.name)

function scenario(traffic: Traffic, stall: boolean, quick: boolean): Scenario {
  const measuredMs = quick ? 5_000 : 30_000
  const { perConnectionPerSecond } = traffic
  return {
    name: scenarioName(traffic, stall),
    title: `HTTP server, ${workers} workers, ${connections} connections, ${traffic.title}; 80 % CPU tasks of 2 ms, 20 % timers of 10 ms; ${measuredMs / 1_000} s, ${stall ? `one worker stalls for ${stallMs / 1_000} s` : 'no stall'}`,
    probe: 'server',
    parameters: {
      connections,
      ...(perConnectionPerSecond === undefined ? {} : { perConnectionPerSecond }),
      cpu: { kind: 'parked', ms: 2 },
      io: { kind: 'timer', ms: 10 },
      stallMs,
      stall,
      warmUpMs: 2_000,
      measuredMs,
    },
    systems: [evenkeel(workers), ...[1, 8, 64].map((perWorker) => piscina(workers, 'disabled', perWorker))],
    together: false,
    repetitions: quick ? 1 : 3,
    timeoutMs: measuredMs + 30_000,
  }
}

function failedRequests(results: readonly ScenarioResult[], traffic: Traffic): number[] {
  const values = [false, true].flatMap((stall) => {
    const system = systemOf(results, scenarioName(traffic, stall), 'evenkeel')
    return system?.measures.failedRequests?.values ?? []
  })
  return values.filter((value) => value !== null)
}

function goalsOf(results: readonly ScenarioResult[], traffic: Traffic): GoalResult[] {
  const stalled = scenarioName(traffic, true)
  const best = bestSystem(results, stalled, 'p99Ms', 'smallest', isPiscina) ?? 'piscina'
  const note = `best setting here: ${best}`
  const own = (measure: string, scenario = stalled) => ({ scenario, system: 'evenkeel', measure })
  const against = (measure: string): number[] =>
    pairedRatios(results, own(measure), { scenario: stalled, system: best, measure })
  const failed = failedRequests(results, traffic)
  return [
    judge({ what: `${traffic.name}: failed requests`, bound: 'at most', reach: 0 }, [
      // One failed request in any run is one too many.
      failed.length === 0 ? Number.NaN : Math.max(...failed),
    ]),
    judge(
      { what: `${traffic.name}: p99 with the stall against p99 without`, bound: 'at most', reach: 1.5 },
      pairedRatios(results, own('p99Ms'), own('p99Ms', scenarioName(traffic, false))),
    ),
    judge(
      { what: `${traffic.name}: p99 with the stall against piscina at its best`, bound: 'at most', reach: 1 },
      against('p99Ms'),
      note,
    ),
    judge(
      { what: `${traffic.name}: p99 delay of the main loop against the same`, bound: 'at most', reach: 1.2 },
      against('loopDelayP99Ms'),
      note,
    ),
  ]
}

export const serverCommand: BenchCommand = {
  name: 'server',
  summary: 'an HTTP server of CPU and I/O tasks under 64 connections, with and without a worker that stalls',
  scenarios: (quick) => traffics.flatMap((traffic) => [false, true].map((stall) => scenario(traffic, stall, quick))),
  goals: (results) => traffics.flatMap((traffic) => goalsOf(results, traffic)),
}
