import { expect, test } from 'vitest'
import { seedsUpTo } from './seeds.js'
import { stoppedRun } from './stopped-run.js'

test.each(seedsUpTo(3))(
  'seed %i: a process that is stopped again and again ends no healthy task for a silence that was its own',
  async (seed) => {
    const options = { workers: 2, stallKillMs: 2_500 }
    const { settled, submitted, stops, faults } = await stoppedRun(
      { seed, pools: 8, tasksPerPool: 2_000, options, longShare: 0.4 },
      8,
      4_000,
    )
    expect(faults).toEqual([])
    expect(stops).toBeGreaterThanOrEqual(4)
    expect(settled).toBe(submitted)
  },
  300_000,
)
