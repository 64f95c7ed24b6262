import { bestSystem, figureMedian, judge, pairedRatios } from '../harness/compare-systems.js'
import type { BenchCommand } from './command.js'
import { evenkeel, floor, isPiscina, otherPools, piscinaGrid, raw } from './systems.js'

const scenario = 'no-op 256 in flight'
const measure = 'tasksPerSecond'
const workers = 2

/** The floor must leave piscina this far behind, or it is no floor and says nothing about evenkeel. */
const floorOverPiscina = 20

export const throughputCommand: BenchCommand = {
  name: 'throughput',
  summary: 'no-op tasks per second: 2 workers, 256 callers with one promise per task',
  scenarios: (quick) => [
    {
      name: scenario,
      title: 'closed loop, no-op tasks, 2 workers, 256 callers',
      probe: 'closed-loop',
      parameters: { task: 'noop', inFlight: 256, warmUpMs: 700, roundMs: quick ? 300 : 500, rounds: 3 },
      systems: [
        evenkeel(workers),
        evenkeel(workers, { metrics: true }, 'evenkeel with metrics'),
        floor(workers),
        ...piscinaGrid(workers),
        ...(quick ? [] : [raw(workers), ...otherPools(workers)]),
      ],
      together: false,
      repetitions: quick ? 1 : 5,
      timeoutMs: 30_000,
    },
  ],
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
        { what: 'tasks/s against piscina at its best', bound: 'at least', reach: 15, aim: 25 },
        pairedRatios(results, rate('evenkeel'), rate(best)),
        `best setting here: ${best}`,
      ),
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
