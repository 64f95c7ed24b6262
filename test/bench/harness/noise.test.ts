import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { noiseReasons, readProcessorTicks, stolenShare } from '../../../bench/harness/noise.js'

const quiet = { wallMs: 20, processorShare: 1 }

describe('noise rules', () => {
  test('a quiet measurement has no reason against it', () => {
    expect(noiseReasons({ stolenShare: 0.04, generatorLateShare: 0.009, calibrations: [quiet, quiet] }, 20)).toEqual([])
  })

  test.each([
    ['stolen processor time', { stolenShare: 0.06, calibrations: [quiet] }],
    ['generator late', { generatorLateShare: 0.02, calibrations: [quiet] }],
    ['calibration loop off', { calibrations: [quiet, { wallMs: 24, processorShare: 1 }] }],
    ['calibration loop off', { calibrations: [{ wallMs: 16, processorShare: 1 }, quiet] }],
    // A machine that was busy all along has a steady loop, but does not get its processors.
    ['calibration loop got', { calibrations: [quiet, { wallMs: 20, processorShare: 0.7 }] }],
  ])('%s makes it one not to believe', (reason, reading) => {
    const reasons = noiseReasons(reading, 20)
    expect(reasons).toHaveLength(1)
    expect(reasons[0]).toContain(reason)
  })

  test('stolen time is read from the kernel line and told as a share of all time', () => {
    const folder = mkdtempSync(join(tmpdir(), 'noise-'))
    const write = (name: string, line: string): string => {
      const file = join(folder, name)
      writeFileSync(file, `${line}\ncpu0 1 2 3 4 5 6 7 8 9 10\n`)
      return file
    }
    const before = readProcessorTicks(write('before', 'cpu  100 0 50 800 10 0 5 35 99 99'))
    const after = readProcessorTicks(write('after', 'cpu  160 0 50 820 10 0 5 55 99 99'))
    expect(before).toEqual({ total: 1_000, stolen: 35 })
    expect(stolenShare(before, after)).toBeCloseTo(0.2)
  })

  test('without such a file nothing is said of stolen time', () => {
    const ticks = readProcessorTicks(join(tmpdir(), 'there', 'is', 'no', 'such', 'file'))
    expect(ticks).toBeUndefined()
    expect(stolenShare(ticks, ticks)).toBeUndefined()
  })
})
