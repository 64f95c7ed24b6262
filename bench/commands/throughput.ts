import { bestSystem, figureMedian, judge, pairedRatios } from '../harness/compare-systems.js'
import type { GoalResult, ScenarioResult } from '../harness/report.js'
import type { PayloadShape } from '../probes/payload-shapes.js'
import type { BenchCommand } from './command.js'
import { evenkeel, floor, isPiscina, otherPools, piscinaGrid, raw } from './systems.js'

const scenario = 'no-op 256 in flight'
const measure = 'tasksPerSecond'
const workers = 2

/** The floor must leave piscina this far behind, or it is no floor and says nothing about evenkeel. */
const floorOverPiscina = 20

interface ObjectRow {
  readonly name: string
  readonly title: string
  readonly shape: PayloadShape
  readonly reach: number
}

const objectRows: readonly ObjectRow[] = [
  { name: 'flat objects', title: 'objects of four properties', shape: { kind: 'flat object' }, reach: 10 },
  { name: 'nested objects', title: 'nested objects of 1 kB', shape: { kind: 'nested object' }, reach: 4 },
]

function objectGoal(results: readonly ScenarioResult[], { name, title, reach }: ObjectRow): GoalResult {
  const best = bestSystem(results, name, measure, 'largest', isPiscina) ?? 'piscina'
  const rate = (system: string) => ({ scenario: name, system, measure })
  return judge(
    { what: `tasks/s with ${title} in and out, against piscina at its best`, bound: 'at least', reach },
    pairedRatios(results, rate('evenkeel'), rate(best)),
    `best setting here: ${best}`,
  )
}

export const throughputCommand: BenchCommand = {
  name: 'throughput',
  summary: 'no-op tasks per second, with numbers and with objects: 2 workers, 256 callers with one promise per task',
  scenarios: (quick) => {
    const rounds = { task: 'noop', inFlight: 256, warmUpMs: 700, roundMs: quick ? 300 : 500, rounds: 3 }
    const base = { probe: 'closed-loop', together: false, repetitions: quick ? 1 : 5, timeoutMs: 30_000 }
    return [
      {
        ...base,
        name: scenario,
        title: 'closed loop, no-op tasks, 2 workers, 256 callers',
        parameters: rounds,
        systems: [
          evenkeel(workers),
          evenkeel(workers, { metrics: true }, 'evenkeel with metrics'),
          floor(workers),
          ...piscinaGrid(workers),
          ...(quick ? [] : [raw(workers), ...otherPools(workers)]),
        ],
      },
      ...objectRows.map(({ name, title, shape }) => ({
        ...base,
        name,
        title: `the same with ${title}, each made anew and sent back by the task`,
        parameters: { ...rounds, shape },
        systems: [evenkeel(workers), ...piscinaGrid(workers), ...(quick ? [] : [raw(workers)])],
      })),
    ]
  },
  goals: (results) => {
    const best = bestSystem(results, scenario, measure, 'largest', isPiscina) ?? 'piscina'
    const place = (system: string, of: string) => ({ scenario, system, measure: of })
    const rate = (system: string) => place(system, measure)
    const watchedRatios = (of: string) =>
      pairedRatios(results, place('evenkeel with metrics', of), place('evenkeel', of))
    const floorRatio = figureMedian(results, rate('floor')) / figureMedian(results, rate(best))
    const isFloor = floorRatio >= floorOverPiscina
    return [
      judge(
        { what: 'tasks/s against piscina at its best', bound: 'at least', reach: 20, aim: 25 },
        pairedRatios(results, rate('evenkeel'), rate(best)),
        `best setting here: ${best}`,
      ),
      ...objectRows.map((row) => objectGoal(results, row)),
      judge(
        { what: 'tasks/s against the bare floor', bound: 'at least', reach: 0.6, aim: 0.9 },
        pairedRatios(results, rate('evenkeel'), rate('floor')),
        `the floor reached ${floorRatio.toFixed(1)} times piscina's best${isFloor ? '' : `, under ${floorOverPiscina}: void`}`,
        !isFloor,
      ),
      judge(
        { what: 'tasks/s with metrics on, against off', bound: 'at least', reach: 0.9, aim: 0.98 },
        watchedRatios(measure),
        'scraped once a second',
      ),
      judge(
        { what: 'processor time per task with metrics on, against off', bound: 'at most', reach: 1.1, aim: 1.02 },
        watchedRatios('cpuUsPerTask'),
      ),
    ]
  },
}
