/** Measures every cell of a plan in interleaved order, one process at a time, and repeats what cannot be believed. */

import { median } from '../stats/quantiles.js'
import { Calibration, type CalibrationReading } from './calibration.js'
import { packageRoot } from './environment.js'
import { runSample } from './measuring-process.js'
import { noiseReasons, readProcessorTicks, stolenShare } from './noise.js'
import type { SampleFault } from './report.js'
import type { ProbeResult, SampleSpec } from './sample.js'
import { orderOfRepetition } from './seeded-order.js'

/** What one process measures, repetition by repetition. */
export interface Cell {
  readonly scenario: string
  readonly repetitions: number
  readonly timeoutMs: number
  readonly sample: Omit<SampleSpec, 'seed'>
}

export interface CellSample {
  readonly cell: Cell
  readonly repetition: number
  readonly result: ProbeResult
  readonly peakRssBytes?: number | undefined
}

/** Called before each measurement with the number of measurements done, the number planned and the current one. */
export type Progress = (done: number, planned: number, current: string) => void

export interface InterleavedSamples {
  readonly valid: readonly CellSample[]
  readonly invalid: readonly SampleFault[]
  readonly failed: readonly SampleFault[]
}

export interface InterleaveOptions {
  readonly seed: number
  /** Keeps measurements that the noise rules reject; they are listed all the same. For a look on a busy machine. */
  readonly acceptNoise: boolean
  readonly progress: Progress
}

/** Reports are passed on: where this copy of evenkeel lies is nobody else's business. */
const root = `${packageRoot()}/`
const withoutRoot = (text: string): string => text.replaceAll(`file://${root}`, '').replaceAll(root, '')

/** A repetition that was not believed is measured again this often. */
const maxRepeats = 2

/** How often the calibration loop runs before anything is measured. */
const firstCalibrations = 5

export async function measureInterleaved(
  cells: readonly Cell[],
  { seed, acceptNoise, progress }: InterleaveOptions,
): Promise<InterleavedSamples> {
  const calibration = new Calibration()
  const readings: CalibrationReading[] = []
  const calibrate = async (): Promise<CalibrationReading> => {
    const reading = await calibration.read()
    readings.push(reading)
    return reading
  }
  const valid: CellSample[] = []
  const invalid: SampleFault[] = []
  const failed: SampleFault[] = []

  const measureOnce = async (cell: Cell, repetition: number, attempt: number): Promise<boolean> => {
    const fault = (reasons: string[]): SampleFault => ({
      scenario: cell.scenario,
      systems: cell.sample.systems.map((system) => system.label),
      repetition,
      attempt,
      reasons: reasons.map(withoutRoot),
    })
    const before = readings.at(-1) as CalibrationReading
    const ticks = readProcessorTicks()
    try {
      const { result, peakRssBytes } = await runSample({ ...cell.sample, seed: seed + repetition }, cell.timeoutMs)
      const stolen = stolenShare(ticks, readProcessorTicks())
      const after = await calibrate()
      const reasons = noiseReasons(
        { stolenShare: stolen, generatorLateShare: result.generatorLateShare, calibrations: [before, after] },
        median(readings.map((reading) => reading.wallMs)),
      )
      if (reasons.length > 0) invalid.push(fault(reasons))
      const kept = reasons.length === 0 || acceptNoise
      if (kept) valid.push({ cell, repetition, result, peakRssBytes })
      return kept
    } catch (error) {
      failed.push(fault([error instanceof Error ? error.message : String(error)]))
      await calibrate()
      // A system that dies or hangs would do it again: no repeat.
      return true
    }
  }

  try {
    for (let at = 0; at < firstCalibrations; at++) await calibrate()
    const planned = cells.reduce((sum, cell) => sum + cell.repetitions, 0)
    const rounds = Math.max(0, ...cells.map((cell) => cell.repetitions))
    let done = 0
    for (let repetition = 0; repetition < rounds; repetition++) {
      const due = cells.filter((cell) => repetition < cell.repetitions)
      for (const cell of orderOfRepetition(due, repetition, seed)) {
        const systems = cell.sample.systems.map((system) => system.label).join(', ')
        progress(done++, planned, `${cell.scenario}: ${systems}, repetition ${repetition + 1}`)
        for (let attempt = 1; attempt <= 1 + maxRepeats; attempt++) {
          if (await measureOnce(cell, repetition, attempt)) break
        }
      }
    }
    progress(done, planned, 'done')
  } finally {
    await calibration.close()
  }
  return { valid, invalid, failed }
}
