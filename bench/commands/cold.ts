import { judge, pairedRatios } from '../harness/compare-systems.js'
import type { BenchCommand } from './command.js'
import { evenkeel, piscina, piscinaDefault, raw } from './systems.js'

const threadCounts = [1, 8]
const scenarioOf = (threads: number): string => `cold start of ${threads}`

export const coldCommand: BenchCommand = {
  name: 'cold',
  summary: 'time from the constructor to the first answer, 1 and 8 threads',
  scenarios: (quick) =>
    threadCounts.map((threads) => ({
      name: scenarioOf(threads),
      title: `constructor to first answer, ${threads} ${threads === 1 ? 'thread' : 'threads'}`,
      probe: 'cold',
      parameters: {},
      systems: [evenkeel(threads), piscinaDefault(threads), piscina(threads, 'disabled', 1), raw(threads)],
      together: false,
      repetitions: quick ? 3 : 15,
      timeoutMs: 20_000,
    })),
  goals: (results) =>
    threadCounts.map((threads) => {
      const place = (system: string) => ({ scenario: scenarioOf(threads), system, measure: 'firstAnswerMs' })
      return judge(
        { what: `first answer with ${threads} threads against piscina`, bound: 'at most', reach: 1.2, aim: 1 },
        pairedRatios(results, place('evenkeel'), place('piscina default')),
      )
    }),
}
