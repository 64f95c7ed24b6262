import { judge, pairedRatios, systemOf } from '../harness/compare-systems.js'
import type { BenchCommand } from './command.js'
import { evenkeel, piscina, piscinaDefault, raw } from './systems.js'

const scenario = 'idle'
const workers = 4
const bareThread = piscina(workers, 'disabled', 1)

export const idleCommand: BenchCommand = {
  name: 'idle',
  summary: 'an idle pool of 4 workers for 10 s: processor time and memory per worker',
  scenarios: (quick) => [
    {
      name: scenario,
      title: `4 warmed workers with nothing to do for ${quick ? 2 : 10} s`,
      probe: 'idle',
      parameters: { idleMs: quick ? 2_000 : 10_000, settleMs: 1_000 },
      systems: [evenkeel(workers), piscinaDefault(workers), bareThread, raw(workers)],
      together: false,
      repetitions: quick ? 1 : 3,
      timeoutMs: 30_000,
    },
  ],
  goals: (results) => {
    const place = (system: string) => ({ scenario, system, measure: 'rssMiBPerWorker' })
    const shares = systemOf(results, scenario, 'evenkeel')?.measures.cpuPercentOfCore?.values ?? []
    return [
      judge(
        { what: 'processor time while idle, % of a core', bound: 'at most', reach: 0.1 },
        shares.filter((value) => value !== null),
      ),
      judge(
        { what: 'resident memory per worker against a bare piscina thread', bound: 'at most', reach: 1.3 },
        pairedRatios(results, place('evenkeel'), place(bareThread.label)),
      ),
    ]
  },
}
