import { figureMedian, judge, pairedRatios, systemOf } from '../harness/compare-systems.js'
import type { BenchCommand } from './command.js'
import { evenkeel, otherPools, piscina } from './systems.js'

const workers = 2
const sizes = [20_000, 200_000, 1_000_000]
const largest = sizes.at(-1) as number
const scenarioOf = (tasks: number): string => `flood of ${tasks}`

/** Pools whose cost per task grows with the queue would need minutes for the larger floods. */
const largestForPiscina = 200_000
const largestForOthers = 20_000

const rival = piscina(workers, 'async', 64)

export const floodCommand: BenchCommand = {
  name: 'flood',
  summary: 'floods of 20,000, 200,000 and 1,000,000 no-op tasks: time and heap per queued task',
  scenarios: (quick) =>
    sizes.map((tasks) => ({
      name: scenarioOf(tasks),
      title: `${tasks} no-op tasks submitted in one turn, 2 workers`,
      probe: 'flood',
      parameters: { tasks, warmUpTasks: 50_000 },
      systems: [
        evenkeel(workers),
        ...(tasks <= largestForPiscina ? [rival] : []),
        ...(tasks <= largestForOthers && !quick ? otherPools(workers) : []),
      ],
      together: false,
      repetitions: quick ? 1 : 5,
      timeoutMs: 120_000,
    })),
  goals: (results) => {
    const place = (tasks: number, measure: string) => ({ scenario: scenarioOf(tasks), system: 'evenkeel', measure })
    const values = (tasks: number, measure: string): number[] =>
      (systemOf(results, scenarioOf(tasks), 'evenkeel')?.measures[measure]?.values ?? []).filter(
        (value) => value !== null,
      )
    const rivalUs = figureMedian(results, { scenario: scenarioOf(200_000), system: rival.label, measure: 'usPerTask' })
    return [
      judge(
        { what: 'µs per task in a flood of 1,000,000', bound: 'at most', reach: 2.5, aim: 1.2 },
        values(largest, 'usPerTask'),
        `${rival.label} at 200,000: ${rivalUs.toFixed(1)} µs`,
      ),
      judge(
        // Flat: the cost of a task must not grow with the queue by more than noise.
        { what: 'µs per task at 1,000,000 against 20,000', bound: 'at most', reach: 1.25 },
        pairedRatios(results, place(largest, 'usPerTask'), place(sizes[0] as number, 'usPerTask')),
      ),
      judge(
        { what: 'heap bytes per queued task at 1,000,000', bound: 'at most', reach: 500, aim: 350 },
        values(largest, 'heapBytesPerTask'),
      ),
    ]
  },
}
