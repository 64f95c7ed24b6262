/** Live against simulated: the same scenarios on threads and in the simulator must give the same latencies. */

import { figureMedian, judge } from '../harness/compare-systems.js'
import type { GoalResult, ScenarioResult } from '../harness/report.js'
import type { LiveScenario, TaskShare } from '../scenarios/live-scenario.js'
import { runScenario } from '../sim/run-scenario.js'
import type { Scenario as SimulatedScenario } from '../sim/scenario.js'
import type { ServiceSpec } from '../sim/service-times.js'
import { systems as simulatedSystems } from '../sim/systems.js'
import type { BenchCommand } from './command.js'
import { evenkeel } from './systems.js'

const workers = 4

/**
 * Below the load at which half of the tasks wait (0.74 here): there the median stands on an edge and moves by a whole
 * run time for one per cent of load, and a live pool has that per cent, because threads take 0.2 ms to wake.
 */
const load = 0.6

/** One scenario said twice: to the threads and to the simulator. */
interface Twin {
  readonly name: string
  readonly mix: readonly TaskShare[]
  readonly service: ServiceSpec
}

/**
 * Long enough that waking threads are no part of the figure: 0.1 ms as a rule, but 1 ms in every tenth and 3 ms in
 * every hundredth case, on 2 processors with evenkeel and piscina alike.
 */
const meanMs = 20

const twins: readonly Twin[] = [
  {
    name: 'exponential 20 ms',
    mix: [{ share: 1, work: 'parked', runTimes: { kind: 'exponential', meanMs } }],
    service: { kind: 'exponential', meanMs },
  },
  {
    name: 'fixed 20 ms',
    mix: [{ share: 1, work: 'parked', runTimes: { kind: 'fixed', ms: meanMs } }],
    service: { kind: 'fixed', meanMs },
  },
  {
    name: 'bimodal 10 and 110 ms',
    mix: [
      { share: 0.9, work: 'parked', runTimes: { kind: 'fixed', ms: 10 } },
      { share: 0.1, work: 'parked', runTimes: { kind: 'fixed', ms: 110 } },
    ],
    service: { kind: 'bimodal', shortMs: 10, longMs: 110, longShare: 0.1 },
  },
]

function liveTwin({ name, mix }: Twin, quick: boolean): LiveScenario {
  return {
    name,
    title: `${name} parked, at ${load * 100} % of ${workers} workers; the simulator plays the same`,
    workers,
    load,
    arrivals: { kind: 'poisson' },
    mix,
    warm: true,
    warmUpMs: 1_000,
    measuredMs: quick ? 5_000 : 30_000,
  }
}

/** As many tasks as make the simulated p99 exact to a few per cent. */
const simulatedTasks = 200_000

function simulate({ name, service }: Twin): { p50: number; p99: number } {
  const scenario: SimulatedScenario = {
    name,
    workers,
    utilisation: load,
    arrivals: { kind: 'poisson' },
    service,
    reports: { periodMs: 20, synchronous: false },
  }
  const system = simulatedSystems.find((each) => each.name === 'evenkeel')
  if (system === undefined) throw new Error('the simulator has no system evenkeel')
  const { dispatch, delays } = system
  return runScenario({ scenario, dispatch, delays, taskCount: simulatedTasks, seed: 1 }).response
}

/** How far two figures are apart, as the ratio of the larger to the smaller. */
const apart = (a: number, b: number): number => Math.max(a / b, b / a)

function goalsOf(results: readonly ScenarioResult[], twin: Twin): GoalResult[] {
  const live = (measure: string): number => figureMedian(results, { scenario: twin.name, system: 'evenkeel', measure })
  const liveFigures = { p50: live('p50Ms'), p99: live('p99Ms') }
  if (Number.isNaN(liveFigures.p50)) return [judge({ what: twin.name, bound: 'at most', reach: 1.2 }, [])]
  const simulated = simulate(twin)
  return (['p50', 'p99'] as const).map((figure) =>
    judge(
      { what: `${twin.name}: ${figure}, live and simulated apart`, bound: 'at most', reach: 1.2, aim: 1.1 },
      [apart(liveFigures[figure], simulated[figure])],
      `live ${liveFigures[figure].toFixed(2)} ms, simulated ${simulated[figure].toFixed(2)} ms`,
    ),
  )
}

export const agreementCommand: BenchCommand = {
  name: 'agreement',
  summary: 'live threads against the simulator: three scenarios with parked tasks, p50 and p99',
  scenarios: (quick) =>
    twins.map((twin) => {
      const scenario = liveTwin(twin, quick)
      return {
        name: twin.name,
        title: scenario.title,
        probe: 'live',
        parameters: { ...scenario },
        systems: [evenkeel(workers)],
        together: false,
        repetitions: quick ? 1 : 3,
        timeoutMs: 60_000,
      }
    }),
  goals: (results) => twins.flatMap((twin) => goalsOf(results, twin)),
}
