/** Finished results of short tasks do not wait for the task after them, however long it blocks the worker. */

import { describe, expect } from 'vitest'
import type { Dispatcher } from '../../../src/index.js'
import { caseTest, SLACK } from '../../support/case-host.js'
import { fixtureUrl, within } from '../../support/outcome.js'

const hostages = { module: fixtureUrl('hostages.mjs'), workers: 1, window: 256 }

/** So often that the name counts as short. */
async function known(pool: Dispatcher): Promise<void> {
  for (let run = 0; run < 300; run++) await pool.run('quick', { result: run })
}

const RESULTS = [7, undefined, true, 'a text', 'ž'.repeat(200), { id: 1, tags: ['a', 'b'] }, [{ x: 1 }, { x: 2 }]]

describe('a name that was always short blocks', () => {
  caseTest('the results before it arrive while it does', async ({ pool }) => {
    const one = pool(hostages)
    for (const [at, result] of RESULTS.entries()) {
      await known(one)
      const gate = new Int32Array(new SharedArrayBuffer(4))
      const before = Array.from({ length: 40 }, () => one.run('quick', { result }))
      const blocked = one.run('quick', { result: 'free', gate })
      let isFree = false
      void blocked.then(() => (isFree = true))
      expect(await within(10_000 * SLACK, Promise.all(before)), `result ${at}`).toEqual(Array(40).fill(result))
      // Only a caller that has all of them lets it go on.
      expect(isFree).toBe(false)
      Atomics.store(gate, 0, 1)
      Atomics.notify(gate, 0)
      expect(await blocked).toBe('free')
    }
    expect(one.snapshot()).toMatchObject({ lateAnswers: 0, running: 0 })
  })

  caseTest('a caller that waits for one result before it releases the next task never dead-locks', async ({ pool }) => {
    const one = pool(hostages)
    await known(one)
    for (let round = 0; round < 20; round++) {
      const gate = new Int32Array(new SharedArrayBuffer(4))
      const first = one.run('quick', { result: { round } })
      const second = one.run('quick', { result: round, gate })
      expect(await within(10_000 * SLACK, first)).toEqual({ round })
      Atomics.store(gate, 0, 1)
      Atomics.notify(gate, 0)
      expect(await second).toBe(round)
    }
  })

  caseTest('results that a thread kept when it died are not lost', async ({ pool }) => {
    const one = pool(hostages)
    await known(one)
    const before = Array.from({ length: 20 }, (_, at) => one.run('quick', { result: { at } }))
    const deadly = one.run('quick', { result: 0, exits: true })
    expect(await Promise.all(before)).toEqual(before.map((_, at) => ({ at })))
    await expect(deadly).rejects.toMatchObject({ code: 'EVENKEEL_WORKER_EXIT' })
  })
})
