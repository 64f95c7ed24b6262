import { expect, test } from 'vitest'
import { freeMemoryGate, loadGate, memoryGate } from '../../../src/batch/flow/admission.js'

test('gates shut past their limits and say the figure', async () => {
  expect(await loadGate(2, () => 2.5).closedBecause()).toBe('load 2.50 is above 2')
  expect(await loadGate(2, () => 2).closedBecause()).toBeUndefined()
  expect(await memoryGate(2 ** 20, async () => 2 ** 21).closedBecause()).toBe('memory of 2 MiB is above 1 MiB')
  expect(await memoryGate(2 ** 21, async () => 2 ** 20).closedBecause()).toBeUndefined()
  expect(await freeMemoryGate(2 ** 21, async () => 2 ** 20).closedBecause()).toContain('1 MiB')
  expect(await freeMemoryGate(2 ** 20, async () => 2 ** 21).closedBecause()).toBeUndefined()
})

test('real figures can be read', async () => {
  expect(await memoryGate(1).closedBecause()).toContain('MiB')
  expect(await memoryGate(2 ** 50).closedBecause()).toBeUndefined()
  expect(await freeMemoryGate(1).closedBecause()).toBeUndefined()
  expect(await loadGate(1e9).closedBecause()).toBeUndefined()
})
