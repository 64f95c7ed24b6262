import { judge, systemOf } from '../harness/compare-systems.js'
import type { ScenarioResult } from '../harness/report.js'
import type { BenchCommand } from './command.js'
import { evenkeel, piscina, raw } from './systems.js'

const scenario = 'round trip'
const workers = 2
const rivals = [piscina(workers, 'sync', 1), piscina(workers, 'disabled', 1)]

/** Evenkeel's time over that of piscina's better setting, process by process. */
function ratiosToBetterPiscina(results: readonly ScenarioResult[]): number[] {
  const times = (label: string) => systemOf(results, scenario, label)?.measures.roundTripUs?.values ?? []
  const others = rivals.map((rival) => times(rival.label))
  return times('evenkeel').flatMap((own, repetition) => {
    const rivalUs = others.map((values) => values[repetition]).filter((value) => typeof value === 'number')
    return own === null || rivalUs.length === 0 ? [] : [own / Math.min(...rivalUs)]
  })
}

export const roundtripCommand: BenchCommand = {
  name: 'roundtrip',
  summary: 'one task at a time: all systems in one loop in random order, 9 processes',
  scenarios: (quick) => [
    {
      name: scenario,
      title: 'one no-op at a time, 2 workers, blocks of 20 in random order within one process',
      probe: 'roundtrip',
      parameters: { blocks: quick ? 60 : 250, warmUpBlocks: 20, tasksPerBlock: 20 },
      systems: [evenkeel(workers), ...rivals, raw(workers)],
      together: true,
      // A process falls into a fast or a slow state, so fewer than seven say little.
      repetitions: quick ? 3 : 9,
      timeoutMs: 60_000,
    },
  ],
  goals: (results) => [
    judge(
      { what: "time against piscina's better of sync and disabled", bound: 'at most', reach: 1.25, aim: 0.9 },
      ratiosToBetterPiscina(results),
      'median over processes; each falls into a fast or a slow state of thread wake-up',
    ),
  ],
}
