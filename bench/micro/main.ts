/** `npm run bench -- micro`: the pieces of `src` one by one, with tinybench. */

import { Bench } from 'tinybench'
import { judge } from '../harness/compare-systems.js'
import { type Environment, readEnvironment } from '../harness/environment.js'
import type { Progress } from '../harness/interleave.js'
import type { GoalResult } from '../harness/report.js'
import { goalTable, shortNumber, textTable } from '../report/text-table.js'
import { boardBenches, clockName, workerSideName } from './board/claims.js'
import { queueBenches } from './dispatcher/places/central-queue.js'
import type { MicroBench } from './micro-bench.js'
import { pickBenches } from './selection/pick.js'

export interface MicroFigure {
  readonly source: string
  readonly name: string
  readonly size: number
  /** Median time of one operation, ns. */
  readonly nsPerOperation: number
  /** 99th percentile over the calls, each an average of many operations, ns. */
  readonly p99NsPerOperation: number
  readonly calls: number
}

export interface MicroReport {
  readonly command: 'micro'
  readonly environment: Environment
  readonly quick: boolean
  readonly results: readonly MicroFigure[]
  readonly goals: readonly GoalResult[]
}

export interface MicroOptions {
  readonly quick: boolean
  readonly progress: Progress
}

async function measureOne(micro: MicroBench, timeMs: number): Promise<MicroFigure> {
  const bench = new Bench({ time: timeMs, warmupTime: timeMs / 4, throws: true }).add(micro.name, micro.call, {
    ...(micro.before === undefined ? {} : { beforeEach: micro.before }),
  })
  await bench.run()
  const result = bench.tasks[0]?.result
  if (result?.state !== 'completed') throw new Error(`${micro.name}: ${result?.state ?? 'not run'}`)
  const nsOf = (ms: number): number => (ms * 1e6) / micro.operations
  const { source, name, size } = micro
  return {
    source,
    name,
    size,
    nsPerOperation: nsOf(result.latency.p50),
    p99NsPerOperation: nsOf(result.latency.p99),
    calls: result.latency.samplesCount,
  }
}

/** The bookkeeping must stay cheap beside the one thing it cannot do without: reading the clock. */
function goalsOf(results: readonly MicroFigure[]): GoalResult[] {
  const nsOf = (name: string): number => results.find((figure) => figure.name === name)?.nsPerOperation ?? Number.NaN
  const what = `${workerSideName} against one ${clockName}`
  return [judge({ what, bound: 'at most', reach: 2.5 }, [nsOf(workerSideName) / nsOf(clockName)])]
}

/** Runs one after the other in this process: about half a second each, `quick` a tenth of it. */
export async function runMicro({ quick, progress }: MicroOptions): Promise<MicroReport> {
  const benches = [...pickBenches(), ...queueBenches(), ...boardBenches()]
  const results: MicroFigure[] = []
  for (const micro of benches) {
    progress(results.length, benches.length, `${micro.name}, size ${micro.size}`)
    results.push(await measureOne(micro, quick ? 50 : 500))
  }
  progress(results.length, benches.length, 'done')
  return { command: 'micro', environment: readEnvironment(), quick, results, goals: goalsOf(results) }
}

/** A row for each operation, a column for each size. */
export function microText({ results, goals }: MicroReport): string {
  const bySource = [...new Set(results.map(({ source }) => source))]
  const tables = bySource.map((source) => {
    const own = results.filter((figure) => figure.source === source)
    const sizes = [...new Set(own.map(({ size }) => size))]
    const names = [...new Set(own.map(({ name }) => name))]
    const rows = names.map((name) => [
      name,
      ...sizes.map((size) =>
        shortNumber(own.find((figure) => figure.name === name && figure.size === size)?.nsPerOperation ?? Number.NaN),
      ),
    ])
    return `${source}, ns per operation by size\n\n${textTable(['operation', ...sizes.map(String)], rows)}`
  })
  return [...tables, goalTable(goals)].join('\n\n')
}
