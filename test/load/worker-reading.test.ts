import { expect, test } from 'vitest'
import { FACTOR_NAMES } from '../../src/load/factors.js'
import { LoadModel } from '../../src/load/load-model.js'
import { newWorkerReading } from '../../src/load/worker-reading.js'

test('a new reading is that of an idle worker: no factor of it counts, alone or in the default load', () => {
  expect(new LoadModel().load(0, newWorkerReading())).toBe(0)
  for (const name of FACTOR_NAMES) {
    expect(new LoadModel({ coefficients: { [name]: 1 } }).load(0, newWorkerReading())).toBe(0)
  }
})

test('filling one reading leaves the next as it is', () => {
  const filled = newWorkerReading()
  for (const key of Object.keys(filled) as (keyof typeof filled)[]) filled[key] = 7
  expect(Object.values(newWorkerReading())).not.toContain(7)
})
