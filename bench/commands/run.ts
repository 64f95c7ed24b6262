/** The full comparison: every live scenario with every system that can run it, interleaved. */

import type { Settings } from '../contenders/contender.js'
import type { SystemSpec } from '../harness/sample.js'
import type { Scenario } from '../harness/scenario.js'
import { curveName, liveScenarios } from '../scenarios/catalogue.js'
import type { LiveScenario } from '../scenarios/live-scenario.js'
import type { BenchCommand } from './command.js'
import { evenkeel, floor, otherPools, piscina, piscinaDefault, poolifier, poolifierStrategies, raw } from './systems.js'

/** The strategies under plain push are shown as what they are without the dispatcher's rules. */
const pushStrategies = ['range-table', 'least-loaded', 'round-robin'] as const

const strategy = (workers: number, name: string): SystemSpec =>
  evenkeel(workers, { strategy: name }, `evenkeel ${name}`)

const push = (workers: number, name: string): SystemSpec =>
  evenkeel(workers, { strategy: name, mode: 'push' }, `evenkeel push ${name}`)

function lagAwarePiscina(workers: number): SystemSpec {
  const settings: Settings = { atomics: 'disabled', concurrentTasksPerWorker: 1, balancer: 'lag-aware' }
  return { label: 'piscina lag-aware', contender: 'piscina', workers, settings }
}

const hasTimers = (scenario: LiveScenario): boolean => scenario.mix.some((part) => part.work === 'timer')

/** Piscina with timers needs room for more than one task on a thread. */
const tunedPiscina = (scenario: LiveScenario): SystemSpec =>
  piscina(scenario.workers, 'disabled', hasTimers(scenario) ? 32 : 1)

/** Where every peer and every setting is shown. */
const showcase = 'stall, Atomics.wait'

/** Fewer systems, so that the whole stays within an hour: further points of the load curve, with the two that it is of. */
const curveOnly = [0.3, 0.5, 0.85, 0.95].map(curveName)

/** Special cases, without push mode and further peers. */
const special = ['bursts', 'large payload', 'stall, busy loop']

/** Peers that can hold as many timers at once as the scenario asks for; the others would only show their queue. */
function peersFor(scenario: LiveScenario): SystemSpec[] {
  const { workers } = scenario
  const peers = otherPools(workers)
  return hasTimers(scenario) ? peers.filter((system) => system.contender === 'poolifier') : peers
}

function systemsFor(scenario: LiveScenario, quick: boolean): SystemSpec[] {
  const { workers } = scenario
  const own = [evenkeel(workers), strategy(workers, 'least-outstanding'), strategy(workers, 'round-robin')]
  if (quick) return [...own.slice(0, 1), push(workers, 'round-robin'), tunedPiscina(scenario)]
  if (curveOnly.includes(scenario.name)) return [evenkeel(workers), tunedPiscina(scenario)]
  if (special.includes(scenario.name)) return [...own, tunedPiscina(scenario)]
  const allPoolifier = scenario.name === showcase || scenario.name === 'uniform'
  const peers = peersFor(scenario).filter((system) => !allPoolifier || system.contender !== 'poolifier')
  return [
    ...own,
    ...pushStrategies.map((name) => push(workers, name)),
    tunedPiscina(scenario),
    ...(scenario.name === showcase ? [piscinaDefault(workers), lagAwarePiscina(workers)] : []),
    // A pool that loses tasks for ever after a crash is still measured: that is the finding.
    ...peers,
    ...(allPoolifier ? poolifierStrategies.map((name) => poolifier(workers, name)) : []),
  ]
}

function liveScenarioOf(scenario: LiveScenario, quick: boolean): Scenario {
  const shown = quick ? { ...scenario, warmUpMs: Math.min(300, scenario.warmUpMs) } : scenario
  return {
    name: scenario.name,
    title: scenario.title,
    probe: 'live',
    parameters: { ...shown },
    systems: systemsFor(scenario, quick),
    together: false,
    repetitions: quick ? 1 : 5,
    timeoutMs: 30_000,
  }
}

const quickScenarios = ['uniform', curveName(0.7), 'bimodal', 'stall, Atomics.wait', 'rolling stalls']

/** Closed loop, reported apart from the open loops: throughput has no meaning in the one and latency none in the other. */
function closedScenarios(quick: boolean): Scenario[] {
  const workers = 2
  const roundMs = quick ? 300 : 500
  return [
    {
      name: 'closed loop',
      title: 'no-op tasks, 2 workers, 256 callers',
      probe: 'closed-loop',
      parameters: { task: 'noop', inFlight: 256, warmUpMs: 500, roundMs, rounds: 3 },
      systems: [
        evenkeel(workers),
        floor(workers),
        piscina(workers, 'sync', 64),
        piscina(workers, 'disabled', 64),
        ...(quick ? [] : [strategy(workers, 'round-robin'), raw(workers), ...otherPools(workers)]),
      ],
      together: false,
      repetitions: quick ? 1 : 5,
      timeoutMs: 30_000,
    },
    {
      name: 'flood',
      title: '200,000 no-op tasks submitted in one turn, 2 workers',
      probe: 'flood',
      parameters: { tasks: 200_000, warmUpTasks: 50_000 },
      systems: [evenkeel(workers), ...(quick ? [] : [piscina(workers, 'async', 64)])],
      together: false,
      repetitions: quick ? 1 : 3,
      timeoutMs: 60_000,
    },
  ]
}

export const runCommand: BenchCommand = {
  name: 'run',
  summary: 'the full comparison over all live scenarios, at most an hour; --quick: a few, in a few minutes',
  scenarios: (quick) => [
    ...closedScenarios(quick),
    ...liveScenarios
      .filter((scenario) => !quick || quickScenarios.includes(scenario.name))
      .map((scenario) => liveScenarioOf(scenario, quick)),
  ],
  goals: () => [],
}

/** What a process needs beside warm-up and measured time: starting it and its threads, closing, calibrating. */
const overheadMs = 1_000

/** Time that the open loops of the command need when no repetition has to be repeated, ms. */
export function plannedLiveMs(quick: boolean): number {
  return runCommand
    .scenarios(quick)
    .filter((scenario) => scenario.probe === 'live')
    .reduce((sum, scenario) => {
      const { warmUpMs, measuredMs } = scenario.parameters as unknown as LiveScenario
      return sum + scenario.repetitions * scenario.systems.length * (warmUpMs + measuredMs + overheadMs)
    }, 0)
}
