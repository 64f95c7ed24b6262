import { expect, test } from 'vitest'
import { chaosRun } from './chaos-run.js'

test('every task of a seeded chaos settles once, with its own answer or a justified error, and leaves nothing', async () => {
  const { settled, outcomes, faults } = await chaosRun(20_001, 8, 500)
  expect(faults).toEqual([])
  expect(settled).toBe(4_000)
  // The run is only worth something while it meets most ways to end.
  expect(Object.keys(outcomes).length).toBeGreaterThanOrEqual(9)
}, 120_000)
