import { bestSystem, judge, pairedRatios } from '../harness/compare-systems.js'
import type { GoalResult, ScenarioResult } from '../harness/report.js'
import type { Scenario } from '../harness/scenario.js'
import type { PayloadShape } from '../probes/payload-shapes.js'
import type { BenchCommand } from './command.js'
import { evenkeel, isPiscina, piscina, piscinaGrid, raw } from './systems.js'

const bufferWorkers = 2
const ways = ['cloned', 'transferred'] as const
const bufferName = (way: string): string => `1 MiB ${way}`

function bufferScenarios(quick: boolean): Scenario[] {
  return ways.map((way) => ({
    name: bufferName(way),
    title: `1 MiB buffers ${way}, one at a time, read by the task; all systems in one loop in random order`,
    probe: 'payload',
    parameters: {
      sizeBytes: 2 ** 20,
      transferred: way === 'transferred',
      blocks: quick ? 20 : 60,
      warmUpBlocks: 5,
      tasksPerBlock: 10,
    },
    systems: [evenkeel(bufferWorkers), raw(bufferWorkers), piscina(bufferWorkers, 'disabled', 1)],
    together: true,
    repetitions: quick ? 2 : 7,
    timeoutMs: 60_000,
  }))
}

function bufferGoals(results: readonly ScenarioResult[]): GoalResult[] {
  return ways.map((way) => {
    const place = (system: string) => ({ scenario: bufferName(way), system, measure: 'roundTripUs' })
    return judge(
      { what: `time for 1 MiB ${way} against raw threads`, bound: 'at most', reach: 1.2, aim: 1.05 },
      pairedRatios(results, place('evenkeel'), place('raw threads')),
    )
  })
}

/** What is slow to read: a worker that reads a message can tell nobody that it gets on. */
interface SlowRow {
  readonly name: string
  readonly shape: PayloadShape
  /** Tasks of one block, and how many of them are under way at a time. */
  readonly tasks: number
  readonly inFlight: number
  /** Measured as I/O tasks too. */
  readonly alsoIo?: true
}

const smallObjects = (length: number): PayloadShape => ({ kind: 'array of small objects', length })

/** Blocks of some tenths of a second: shorter ones show their start, longer ones the machine. */
const slowRows: readonly SlowRow[] = [
  { name: 'text of 100 kB', shape: { kind: 'text', length: 100_000 }, tasks: 1_000, inFlight: 64, alsoIo: true },
  { name: 'text of 1 MB', shape: { kind: 'text', length: 1_000_000 }, tasks: 200, inFlight: 64, alsoIo: true },
  { name: 'text of 50 MB', shape: { kind: 'text', length: 50_000_000 }, tasks: 4, inFlight: 2 },
  { name: 'buffer of 100 MB', shape: { kind: 'buffer', length: 100_000_000 }, tasks: 4, inFlight: 2 },
  { name: 'array of 1,000 objects', shape: smallObjects(1_000), tasks: 200, inFlight: 64 },
  { name: 'array of 20,000 objects', shape: smallObjects(20_000), tasks: 10, inFlight: 5, alsoIo: true },
  { name: 'array of 100,000 objects', shape: smallObjects(100_000), tasks: 3, inFlight: 3 },
  { name: '60 arrays of 10,000 objects at once', shape: smallObjects(10_000), tasks: 60, inFlight: 60, alsoIo: true },
]

const isText = ({ shape }: SlowRow): boolean => shape.kind === 'text'

interface SlowCase {
  readonly row: SlowRow
  readonly workers: number
  readonly kind: 'CPU' | 'I/O'
}

const slowCases: readonly SlowCase[] = slowRows.flatMap((row) => [
  { row, workers: 1, kind: 'CPU' as const },
  { row, workers: 4, kind: 'CPU' as const },
  ...(row.alsoIo === true ? [{ row, workers: 1, kind: 'I/O' as const }] : []),
])

const withoutTakeBack = 'evenkeel without take-back'

const slowName = ({ row, workers, kind }: SlowCase): string =>
  `${row.name}, ${kind}, ${workers === 1 ? '1 worker' : `${workers} workers`}`

function slowScenario(slow: SlowCase, quick: boolean): Scenario {
  const { row, workers, kind } = slow
  const { shape, tasks, inFlight } = row
  return {
    name: slowName(slow),
    title: `${tasks} ${kind} tasks that answer with the payload's length, ${inFlight} in flight; all systems in one process in random order`,
    probe: 'slow-payload',
    parameters: {
      shape,
      task: kind === 'CPU' ? 'lengthOf' : 'lengthOfLater',
      tasks,
      inFlight,
      blocks: quick ? 3 : 5,
      warmUpBlocks: 1,
    },
    systems: [
      evenkeel(workers),
      evenkeel(workers, { takeBack: false }, withoutTakeBack),
      // One setting in the quick look: the six take most of the time.
      ...(quick ? [piscina(workers, 'disabled', 1)] : piscinaGrid(workers)),
    ],
    together: true,
    repetitions: quick ? 1 : 3,
    timeoutMs: 180_000,
  }
}

function slowGoals(results: readonly ScenarioResult[], slow: SlowCase): GoalResult[] {
  const scenario = slowName(slow)
  const ratios = (measure: string, rival: string): number[] =>
    pairedRatios(results, { scenario, system: 'evenkeel', measure }, { scenario, system: rival, measure })
  const goals = [
    judge(
      { what: `${scenario}: time with take-back against without`, bound: 'at most', reach: 1.1, aim: 1.03 },
      ratios('usPerTask', withoutTakeBack),
    ),
    judge(
      { what: `${scenario}: processor time, the same`, bound: 'at most', reach: 1.1, aim: 1.03 },
      ratios('cpuUsPerTask', withoutTakeBack),
    ),
  ]
  if (!isText(slow.row)) return goals
  const best = bestSystem(results, scenario, 'cpuUsPerTask', 'smallest', isPiscina) ?? 'piscina'
  return [
    ...goals,
    judge(
      { what: `${scenario}: processor time against piscina at its best`, bound: 'at most', reach: 1 },
      ratios('cpuUsPerTask', best),
      `best setting here: ${best}`,
    ),
  ]
}

export const payloadCommand: BenchCommand = {
  name: 'payload',
  summary: '1 MiB buffers against raw postMessage; payloads that are slow to read, with take-back and without',
  scenarios: (quick) => [...bufferScenarios(quick), ...slowCases.map((slow) => slowScenario(slow, quick))],
  goals: (results) => [
    ...bufferGoals(results),
    ...slowCases
      .filter((slow) => results.some((result) => result.name === slowName(slow)))
      .flatMap((slow) => slowGoals(results, slow)),
  ],
}
