import type { BenchReport, ScenarioResult, SystemResult } from '../../../bench/harness/report.js'
import { plottedQuantiles } from '../../../bench/probes/live-figures.js'

type Values = readonly (number | null)[]

function medianOf(values: Values): number {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b)
  return sorted.length === 0 ? Number.NaN : sorted[Math.floor(sorted.length / 2)]!
}

export function madeUpSystem(
  label: string,
  measures: Readonly<Record<string, Values>>,
  series?: SystemResult['series'],
): SystemResult {
  return {
    label,
    contender: label.startsWith('piscina') ? 'piscina' : 'evenkeel',
    workers: 4,
    settings: {},
    version: '1.0.0',
    measures: Object.fromEntries(
      Object.entries(measures).map(([name, values]) => [name, { values, median: medianOf(values) }]),
    ),
    ...(series === undefined ? {} : { series }),
  }
}

export function madeUpScenario(
  name: string,
  systems: readonly SystemResult[],
  more: Partial<ScenarioResult> = {},
): ScenarioResult {
  const repetitions = Math.max(
    1,
    ...systems.flatMap(({ measures }) => Object.values(measures).map((f) => f.values.length)),
  )
  return { name, title: `title of ${name}`, probe: 'live', parameters: {}, repetitions, systems, ...more }
}

export function madeUpReport(results: readonly ScenarioResult[], more: Partial<BenchReport> = {}): BenchReport {
  return {
    schema: 'evenkeel-bench/1',
    command: 'run',
    quick: false,
    seed: 1,
    acceptNoise: false,
    startedAt: '2026-01-01T00:00:00.000Z',
    wallMs: 1_000,
    environment: {
      node: 'v20.19.0',
      uv: '1',
      v8: '1',
      platform: 'linux x64',
      cpuModel: 'made up <&> model',
      processors: 2,
      parallelism: 2,
      cgroupProcessors: null,
      governor: null,
      memoryBytes: 1,
      loadAverage: [0, 0, 0],
      commit: null,
      packages: { evenkeel: '0.1.0', tinypool: null },
    },
    results,
    goals: [],
    notInstalled: ['tinypool'],
    samples: { valid: 10, invalid: [], failed: [] },
    ...more,
  }
}

/** Latencies that grow with the percentile, as a live scenario reports them. */
export function madeUpQuantiles(scaleMs: number): number[] {
  return plottedQuantiles.map((fraction) => scaleMs / (1 - fraction) ** 0.5)
}
