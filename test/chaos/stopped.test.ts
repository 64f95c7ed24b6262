import { expect, test } from 'vitest'
import { stoppedRun } from './stopped-run.js'

test('a process that is stopped and continued ends no healthy task for a silence that was its own', async () => {
  const options = { workers: 2, stallKillMs: 2_000 }
  const settings = { seed: 31, pools: 2, tasksPerPool: 800, options, longShare: 0.4 }
  const { settled, submitted, stops, faults } = await stoppedRun(settings, 1, 2_800)
  expect(faults).toEqual([])
  expect(stops).toBe(1)
  expect(settled).toBe(submitted)
}, 120_000)
