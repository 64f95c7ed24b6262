import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuFactor } from '../../src/load/cpu-factor.js'
import { CPU, FACTOR_NAMES, IO, LAG, MEMORY, PROCESS, RESPONSE } from '../../src/load/factor-set.js'
import { ioFactor } from '../../src/load/io-factor.js'
import { lagFactor } from '../../src/load/lag-factor.js'
import { memoryFactor } from '../../src/load/memory-factor.js'
import { processFactor } from '../../src/load/process-factor.js'
import { responseFactor } from '../../src/load/response-factor.js'
import { newWorkerReading, type WorkerReading } from '../../src/load/worker-reading.js'

describe('the set of factors', () => {
  test('gives each factor the place of its name', () => {
    const byName = { cpu: CPU, memory: MEMORY, io: IO, process: PROCESS, response: RESPONSE, lag: LAG }
    expect(FACTOR_NAMES.map((name) => byName[name])).toEqual([0, 1, 2, 3, 4, 5])
    expect(Object.keys(byName)).toEqual([...FACTOR_NAMES])
  })

  test('has no factor outside 0..1, whatever the reading', () => {
    const number = fc.double({ min: -1e9, max: 1e12 })
    const record = Object.fromEntries(Object.keys(newWorkerReading()).map((key) => [key, number]))
    fc.assert(
      fc.property(fc.record(record), (numbers) => {
        const any = numbers as unknown as WorkerReading
        const factors = [cpuFactor(any), memoryFactor(any), ioFactor(any), processFactor(any)]
        for (const factor of [...factors, responseFactor(any, 1_000), lagFactor(any, 100)]) {
          expect(factor).toBeGreaterThanOrEqual(0)
          expect(factor).toBeLessThanOrEqual(1)
        }
      }),
      { seed: 21 },
    )
  })
})
