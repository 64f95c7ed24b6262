/** Pools inside tasks of pools. */

import { describe, expect } from 'vitest'
import { caseTest, SLACK } from '../../support/case-host.js'
import { fixtureUrl, settledWithin, within } from '../../support/outcome.js'

const SECOND_MS = 1_000 * SLACK
const nested = { module: fixtureUrl('nested.mjs') }

describe('a pool inside a task', () => {
  caseTest('works, alone and several at once, over and over', async ({ pool }) => {
    const two = pool({ ...nested, workers: 2 })
    expect(await within(SECOND_MS * 2, two.run('inner', 1))).toBe(2)
    expect(
      await settledWithin(
        SECOND_MS * 4,
        [1, 2, 3, 4].map((n) => two.run('inner', n)),
      ),
    ).toEqual([2, 3, 4, 5])
  })

  caseTest('may be kept by the thread for all its tasks', async ({ pool }) => {
    const one = pool(nested)
    expect(
      await settledWithin(
        SECOND_MS * 2,
        Array.from({ length: 20 }, (_, i) => one.run('keepOne', i)),
      ),
    ).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
  })

  caseTest('may lose its own threads without losing the outer one', async ({ pool }) => {
    const one = pool(nested)
    expect(await within(SECOND_MS * 2, one.run('innerCrash'))).toEqual(['EVENKEEL_WORKER_EXIT', 4])
  })

  caseTest('is refused beyond a depth, as an error of that task alone', async ({ pool }) => {
    const one = pool(nested)
    expect(await within(SECOND_MS * 2, one.run('deeper', 1))).toBe(1)
    const outcome = (await settledWithin(SECOND_MS * 8, [one.run('deeper', 9)]))[0]
    expect(outcome).toMatchObject({ name: expect.stringContaining('RangeError'), code: 'EVENKEEL_INVALID_OPTION' })
  })

  for (const force of [false, true]) {
    caseTest(
      `ends with the outer one, whatever it was doing (${force ? 'by force' : 'patiently'})`,
      async ({ closingPool }) => {
        const one = closingPool(nested)
        expect(await within(SECOND_MS * 2, one.run('leaveBehind'))).toBe('left')
        await within(SECOND_MS * 2, one.close({ force, timeoutMs: 1_000 }))
      },
    )
  }

  caseTest('ends with an outer task that is aborted', async ({ pool }) => {
    const one = pool({ ...nested, graceMs: 50 })
    const [outcome] = await settledWithin(SECOND_MS * 4, [one.run('deeper', 1, { deadlineMs: 20 })])
    if (outcome !== 1) expect(outcome).toMatchObject({ code: 'EVENKEEL_DEADLINE' })
    expect(await within(SECOND_MS * 2, one.run('inner', 1))).toBe(2)
  })
})
