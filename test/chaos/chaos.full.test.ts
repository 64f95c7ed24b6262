import { expect, test } from 'vitest'
import { chaosRun } from './chaos-run.js'

// 240,000 tasks. A failure names its seed and pool; `chaosRun(seed, 16, 3_000)` draws the same run again.
test.each([1, 2, 3, 4, 5])(
  'seed %i: 48,000 tasks settle once each and leave nothing behind',
  async (seed) => {
    const { settled, faults } = await chaosRun(seed, 16, 3_000)
    expect(faults).toEqual([])
    expect(settled).toBe(48_000)
  },
  600_000,
)
