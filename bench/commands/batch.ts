import { judge, pairedRatios } from '../harness/compare-systems.js'
import type { Scenario } from '../harness/scenario.js'
import type { BenchCommand } from './command.js'
import { evenkeel, piscinaDefault, raw } from './systems.js'

const workers = 2

/** Steps of `grind` in about a millisecond on the machines of 2026: tasks of 2 to 50 ms there. */
const roundsPerMs = 700_000
const meanMs = 26

function scenario(name: string, quick: boolean, longestFirst: boolean): Omit<Scenario, 'systems'> {
  const wallMs = quick ? 3_000 : 20_000
  return {
    name,
    title: `tasks of about 2 to 50 ms, ${wallMs / 1_000} s on two processors, ${longestFirst ? 'longest first, one at a time to each worker' : 'in the order drawn, 64 in flight'}`,
    probe: 'batch',
    parameters: {
      tasks: Math.round((workers * wallMs) / meanMs),
      minRounds: 2 * roundsPerMs,
      maxRounds: 50 * roundsPerMs,
      inFlight: longestFirst ? workers : 64,
      longestFirst,
    },
    together: false,
    repetitions: quick ? 1 : 5,
    timeoutMs: 120_000,
  }
}

export const batchCommand: BenchCommand = {
  name: 'batch',
  summary: 'a CPU batch of 20 s against two raw threads fed by hand, longest task first',
  scenarios: (quick) => [
    { ...scenario('batch as drawn', quick, false), systems: [evenkeel(workers), piscinaDefault(workers)] },
    { ...scenario('batch by hand', quick, true), systems: [raw(workers)] },
  ],
  goals: (results) => {
    const ratios = (measure: string): number[] =>
      pairedRatios(
        results,
        { scenario: 'batch as drawn', system: 'evenkeel', measure },
        { scenario: 'batch by hand', system: 'raw threads', measure },
      )
    return [
      judge(
        { what: 'wall time against two raw threads fed by hand', bound: 'at most', reach: 1.08, aim: 1.03 },
        ratios('wallMs'),
      ),
      judge({ what: 'processor time against the same', bound: 'at most', reach: 1.05, aim: 1.03 }, ratios('cpuMs')),
    ]
  },
}
