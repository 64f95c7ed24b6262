import { figureMedian, judge, pairedRatios, systemOf } from '../harness/compare-systems.js'
import type { GoalResult, ScenarioResult } from '../harness/report.js'
import type { SystemSpec } from '../harness/sample.js'
import type { Scenario } from '../harness/scenario.js'
import { liveScenario } from '../scenarios/catalogue.js'
import type { BenchCommand } from './command.js'
import { evenkeel, piscina, poolifier, poolifierStrategies, tinypool, workerpool } from './systems.js'

const workers = 4
const blockKinds = ['busy', 'parked'] as const
type BlockKind = (typeof blockKinds)[number]
const blockTitle: Record<BlockKind, string> = { busy: 'busy loop', parked: 'Atomics.wait' }

const piscinaOne = piscina(workers, 'disabled', 1)
const peers: SystemSpec[] = [
  piscinaOne,
  piscina(workers, 'disabled', 64),
  ...poolifierStrategies.map((strategy) => poolifier(workers, strategy)),
  tinypool(workers),
  workerpool(workers),
]

const blockedName = (kind: BlockKind): string => `blocked worker, ${blockTitle[kind]}`

function blockedScenario(kind: BlockKind, quick: boolean): Scenario {
  const blockMs = quick ? 1_000 : 6_000
  const tasks = quick ? 150 : 500
  return {
    name: blockedName(kind),
    title: `4 workers, one blocked ${blockMs / 1_000} s; ${tasks} parked tasks of 2 ms, one every 4 ms`,
    probe: 'blocked-worker',
    parameters: { blockKind: kind, blockMs, tasks, taskMs: 2, everyMs: 4 },
    systems: [evenkeel(workers), ...peers],
    together: false,
    repetitions: quick ? 1 : 3,
    timeoutMs: 40_000,
  }
}

interface Burst {
  readonly name: string
  readonly tasks: number
  readonly taskMs: number
  readonly blockAt: number
  readonly warmUpTasks: number
}

const burstOfSleeps: Burst = { name: 'burst of 2,000 x 1 ms', tasks: 2_000, taskMs: 1, blockAt: 8, warmUpTasks: 500 }
const burstOfNoops: Burst = {
  name: 'burst of 20,000 no-ops',
  tasks: 20_000,
  taskMs: 0,
  blockAt: 10_000,
  warmUpTasks: 20_000,
}

function burstScenarios(burst: Burst, quick: boolean): Scenario[] {
  const { name, ...parameters } = burst
  const blockMs = quick ? 1_000 : 3_000
  const title = `task ${burst.blockAt} of the burst parks its worker for ${blockMs / 1_000} s`
  const base = { probe: 'burst', together: false, repetitions: quick ? 1 : 7, timeoutMs: 60_000 }
  return [
    {
      ...base,
      name,
      title: `4 workers, ${title}`,
      parameters: { ...parameters, blockKind: 'parked', blockMs },
      systems: [evenkeel(4), ...(quick ? [] : [piscina(4, 'disabled', 1), piscina(4, 'disabled', 64), tinypool(4)])],
    },
    {
      ...base,
      name: freeName(burst),
      title: 'three workers, no block',
      parameters: { ...parameters, blockKind: 'parked', blockMs: 0 },
      systems: [evenkeel(3)],
    },
  ]
}

const freeName = (burst: Burst): string => `${burst.name}, three free workers`

const mixtureName = 'mixture'

function mixtureScenario(quick: boolean): Scenario {
  return {
    name: mixtureName,
    title: '95 % 0.05 ms busy, 5 % 20 ms parked, open loop at 70 % of 4 workers; latency from the scheduled time',
    probe: 'mixture',
    parameters: {
      longShare: 0.05,
      short: { kind: 'busy', ms: 0.05 },
      long: { kind: 'parked', ms: 20 },
      load: 0.7,
      warmUpMs: 500,
      durationMs: quick ? 1_500 : 4_000,
    },
    systems: [evenkeel(workers), piscinaOne, piscina(workers, 'sync', 1)],
    together: false,
    repetitions: quick ? 1 : 7,
    timeoutMs: 60_000,
  }
}

const rollingName = 'rolling stalls'

function rollingScenario(quick: boolean): Scenario {
  const scenario = liveScenario(rollingName)
  return {
    name: rollingName,
    title: scenario.title,
    probe: 'live',
    // Two rounds in which each worker has its turn.
    parameters: { ...scenario, measuredMs: quick ? 4_000 : 8_000 },
    systems: [evenkeel(workers), piscinaOne],
    together: false,
    repetitions: quick ? 1 : 5,
    timeoutMs: 60_000,
  }
}

function rollingGoals(results: readonly ScenarioResult[]): GoalResult[] {
  const place = (measure: string) => ({ scenario: rollingName, system: 'evenkeel', measure })
  return [
    judge(
      { what: 'rolling stalls: p99 against a computed ideal central queue', bound: 'at most', reach: 1.25 },
      pairedRatios(results, place('p99Ms'), place('idealP99Ms')),
    ),
  ]
}

function blockedGoals(results: readonly ScenarioResult[], kind: BlockKind): GoalResult[] {
  const values = (measure: string): number[] =>
    (systemOf(results, blockedName(kind), 'evenkeel')?.measures[measure]?.values ?? []).filter(
      (value) => value !== null,
    )
  return [
    judge({ what: `${blockTitle[kind]}: tasks later than 250 ms`, bound: 'at most', reach: 0, aim: 0 }, [
      // One late task in any repetition is one too many.
      Math.max(...values('lateTasks'), ...(values('lateTasks').length === 0 ? [Number.NaN] : [])),
    ]),
    judge(
      { what: `${blockTitle[kind]}: largest share of one healthy worker`, bound: 'at most', reach: 0.42, aim: 0.36 },
      values('largestHealthyShare'),
    ),
  ]
}

function burstGoals(results: readonly ScenarioResult[]): GoalResult[] {
  const place = (scenario: string) => ({ scenario, system: 'evenkeel', measure: 'allOthersMs' })
  const ratios = (burst: Burst): number[] => pairedRatios(results, place(burst.name), place(freeName(burst)))
  return [
    judge(
      {
        what: `${burstOfSleeps.name} with the block in it, against three free workers`,
        bound: 'at most',
        reach: 1.1,
        aim: 1.02,
      },
      ratios(burstOfSleeps),
    ),
    judge(
      {
        what: `${burstOfNoops.name} with the block in the middle, against three free workers`,
        bound: 'at most',
        reach: 1.3,
      },
      ratios(burstOfNoops),
    ),
    judge({ what: `${burstOfNoops.name} with the block in the middle, ms`, bound: 'at most', reach: 60 }, [
      figureMedian(results, place(burstOfNoops.name)),
    ]),
  ]
}

function mixtureGoals(results: readonly ScenarioResult[]): GoalResult[] {
  const ratios = (measure: string): number[] =>
    pairedRatios(
      results,
      { scenario: mixtureName, system: 'evenkeel', measure },
      { scenario: mixtureName, system: piscinaOne.label, measure },
    )
  return [
    judge(
      { what: 'mixture: p99 of short tasks against piscina c=1', bound: 'at most', reach: 0.8, aim: 0.7 },
      ratios('shortP99Ms'),
    ),
    judge({ what: 'mixture: mean against piscina c=1', bound: 'at most', reach: 1, aim: 0.9 }, ratios('meanMs')),
  ]
}

const kindsOf = (quick: boolean): readonly BlockKind[] => (quick ? ['parked'] : blockKinds)

export const stallCommand: BenchCommand = {
  name: 'stall',
  summary:
    'one worker blocked: late tasks and pile-on beside all peers, bursts with a block in them, a mixture, rolling stalls',
  scenarios: (quick) => [
    ...kindsOf(quick).map((kind) => blockedScenario(kind, quick)),
    ...burstScenarios(burstOfSleeps, quick),
    ...burstScenarios(burstOfNoops, quick),
    mixtureScenario(quick),
    rollingScenario(quick),
  ],
  goals: (results) => [
    ...blockKinds
      .filter((kind) => results.some((result) => result.name === blockedName(kind)))
      .flatMap((kind) => blockedGoals(results, kind)),
    ...burstGoals(results),
    ...mixtureGoals(results),
    ...rollingGoals(results),
  ],
}
