import { judge, pairedRatios } from '../harness/compare-systems.js'
import type { BenchCommand } from './command.js'
import { evenkeel, piscina, raw } from './systems.js'

const workers = 2
const ways = ['cloned', 'transferred'] as const
const scenarioOf = (way: string): string => `1 MiB ${way}`

export const payloadCommand: BenchCommand = {
  name: 'payload',
  summary: '1 MiB buffers, cloned and transferred, against raw postMessage',
  scenarios: (quick) =>
    ways.map((way) => ({
      name: scenarioOf(way),
      title: `1 MiB buffers ${way}, one at a time, read by the task; all systems in one loop in random order`,
      probe: 'payload',
      parameters: {
        sizeBytes: 2 ** 20,
        transferred: way === 'transferred',
        blocks: quick ? 20 : 60,
        warmUpBlocks: 5,
        tasksPerBlock: 10,
      },
      systems: [evenkeel(workers), raw(workers), piscina(workers, 'disabled', 1)],
      together: true,
      repetitions: quick ? 2 : 7,
      timeoutMs: 60_000,
    })),
  goals: (results) =>
    ways.map((way) => {
      const place = (system: string) => ({ scenario: scenarioOf(way), system, measure: 'roundTripUs' })
      return judge(
        { what: `time for 1 MiB ${way} against raw threads`, bound: 'at most', reach: 1.2, aim: 1.05 },
        pairedRatios(results, place('evenkeel'), place('raw threads')),
      )
    }),
}
