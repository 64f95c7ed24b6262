import { expect, test } from 'vitest'
import { chaosRun } from './chaos-run.js'

const SEEDS = Array.from({ length: 21 }, (_, index) => index + 1)

// 1,008,000 tasks, and what callbacks submit. A failure names its seed and pool; the same settings draw the same run.
test.each(SEEDS)(
  'seed %i: 48,000 tasks settle once each and leave nothing behind',
  async (seed) => {
    const { settled, submitted, faults } = await chaosRun({ seed, pools: 16, tasksPerPool: 3_000 })
    expect(faults).toEqual([])
    expect(settled).toBe(submitted)
    expect(submitted).toBeGreaterThanOrEqual(48_000)
  },
  600_000,
)
