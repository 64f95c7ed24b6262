import { expect, test } from 'vitest'
import { chaosRun } from './chaos-run.js'

test('every task of a seeded chaos settles once, with its own answer or a justified error, and leaves nothing', async () => {
  const { settled, submitted, outcomes, faults } = await chaosRun({ seed: 20_001, pools: 8, tasksPerPool: 500 })
  expect(faults).toEqual([])
  expect(settled).toBe(submitted)
  expect(submitted).toBeGreaterThanOrEqual(4_000)
  // The run is only worth something while it meets most ways to end.
  expect(Object.keys(outcomes).length).toBeGreaterThanOrEqual(10)
}, 120_000)
