import { bestSystem, judge, pairedRatios } from '../harness/compare-systems.js'
import type { BenchCommand } from './command.js'
import { evenkeel, isPiscina, piscinaGrid, raw } from './systems.js'

const scenario = 'one task per turn'
const workers = 2

export const turnsCommand: BenchCommand = {
  name: 'turns',
  summary: 'one no-op task per turn of the event loop: 2 workers, at most 64 in flight',
  scenarios: (quick) => [
    {
      name: scenario,
      title: 'one no-op task per setImmediate turn, 64 in flight, 2 workers',
      probe: 'turns',
      parameters: { inFlight: 64, warmUpMs: 700, roundMs: quick ? 300 : 500, rounds: 3 },
      systems: [evenkeel(workers), ...piscinaGrid(workers), raw(workers)],
      together: false,
      repetitions: quick ? 1 : 5,
      timeoutMs: 30_000,
    },
  ],
  goals: (results) => {
    const fastest = bestSystem(results, scenario, 'tasksPerSecond', 'largest', isPiscina) ?? 'piscina'
    const place = (system: string, measure: string) => ({ scenario, system, measure })
    const ratios = (measure: string): number[] =>
      pairedRatios(results, place('evenkeel', measure), place(fastest, measure))
    const note = `best setting here: ${fastest}`
    return [
      judge(
        { what: 'tasks/s against piscina at its best', bound: 'at least', reach: 1.3, aim: 2 },
        ratios('tasksPerSecond'),
        note,
      ),
      judge(
        { what: 'processor time per task against the same', bound: 'at most', reach: 0.8 },
        ratios('cpuUsPerTask'),
        note,
      ),
    ]
  },
}
