/** Whether a measurement may be believed. The rules and the reasons they give are data of the report. */

import { readFileSync } from 'node:fs'
import type { CalibrationReading } from './calibration.js'

/** More processor time than this taken by the hypervisor spoils a measurement. */
export const maxStolenShare = 0.05

/** The calibration loop may differ by this much from the run's median. */
export const maxCalibrationDrift = 0.15

/** An open loop that sends more than this share of its arrivals over 5 ms late measures its generator. */
export const maxGeneratorLateShare = 0.01

/** Processor time since boot in ticks, over all processors. */
export interface ProcessorTicks {
  readonly total: number
  readonly stolen: number
}

/** Reads the first line of Linux's `/proc/stat`; undefined where there is none. */
export function readProcessorTicks(file = '/proc/stat'): ProcessorTicks | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
  // user nice system idle iowait irq softirq steal; guest time is part of user time already.
  const fields = text.slice(0, text.indexOf('\n')).trim().split(/\s+/).slice(1, 9).map(Number)
  return { total: fields.reduce((sum, ticks) => sum + ticks, 0), stolen: fields[7] ?? 0 }
}

export function stolenShare(before: ProcessorTicks | undefined, after: ProcessorTicks | undefined): number | undefined {
  if (before === undefined || after === undefined || after.total <= before.total) return undefined
  return (after.stolen - before.stolen) / (after.total - before.total)
}

/** What was seen around one measurement. */
export interface NoiseReading {
  readonly stolenShare?: number | undefined
  readonly generatorLateShare?: number | undefined
  /** Before and after. */
  readonly calibrations: readonly CalibrationReading[]
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

/**
 * The reasons not to believe a measurement; empty when there is none. `usualWallMs` is the median of the run's
 * calibrations so far: it catches a machine that changed, the processor share one that was busy all along.
 */
export function noiseReasons(reading: NoiseReading, usualWallMs: number): string[] {
  const reasons: string[] = []
  if ((reading.stolenShare ?? 0) > maxStolenShare) {
    reasons.push(`stolen processor time ${percent(reading.stolenShare as number)}`)
  }
  if ((reading.generatorLateShare ?? 0) > maxGeneratorLateShare) {
    reasons.push(`generator late for ${percent(reading.generatorLateShare as number)} of arrivals`)
  }
  for (const calibration of reading.calibrations) {
    const drift = calibration.wallMs / usualWallMs - 1
    if (Math.abs(drift) > maxCalibrationDrift) reasons.push(`calibration loop off by ${percent(drift)}`)
    else if (calibration.processorShare < 1 - maxCalibrationDrift) {
      reasons.push(`calibration loop got ${percent(calibration.processorShare)} of the processors`)
    }
  }
  return reasons
}
