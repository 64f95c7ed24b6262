import { expect, test } from 'vitest'
import { chaosRun } from './chaos-run.js'
import { seedsUpTo } from './seeds.js'

// 1,008,000 tasks, and what callbacks submit. A failure names its seed and pool; the same settings draw the same run.
test.each(seedsUpTo(21))(
  'seed %i: 48,000 tasks settle once each and leave nothing behind',
  async (seed) => {
    const { settled, submitted, faults } = await chaosRun({ seed, pools: 16, tasksPerPool: 3_000 })
    expect(faults).toEqual([])
    expect(settled).toBe(submitted)
    expect(submitted).toBeGreaterThanOrEqual(48_000)
  },
  600_000,
)
