import { describe, expect } from 'vitest'
import { caseTest } from '../support/case-host.js'
import { errorOf, fixtureUrl, within } from '../support/outcome.js'

const LIMIT_MS = 20_000
const module = fixtureUrl('shared-state.mjs')
const keys = Array.from({ length: 60 }, (_, index) => `key ${index}`)

describe('keys', () => {
  caseTest(
    'come back to their worker when its thread was replaced, and the others never move',
    async ({ pool: open }) => {
      const pool = open({ module, workers: 4 })
      await pool.ready()
      const homesNow = async () => {
        const homes: number[] = []
        for (const key of keys) homes.push((await pool.run('slot', 0, { key })) as number)
        return homes
      }
      const before = await homesNow()
      const restarted = new Promise((resolve) => pool.once('restart', resolve))
      await errorOf(LIMIT_MS, pool.run('exit', 1, { key: keys[0]! }))
      await within(LIMIT_MS, restarted)
      await within(LIMIT_MS, pool.warmUp())
      const after = await homesNow()
      // A worker that the machine lets wait for 60 ms counts as suspect, and its keys go elsewhere meanwhile.
      expect(after.filter((slot, at) => slot !== before[at]).length).toBeLessThan(0.2 * keys.length)
    },
  )

  caseTest('spill to other workers while theirs is full, and none waits for it', async ({ pool: open }) => {
    const pool = open({ module, workers: 3, window: 1 })
    await pool.ready()
    let free = false
    let busy: Promise<unknown> | undefined
    const home = await new Promise((resolve) => {
      busy = pool.run('spin', 1_500, { key: 'a', onProgress: resolve }).finally(() => {
        free = true
      })
    })
    const slots: unknown[] = []
    while (slots.length < 20) {
      const slot = await pool.run('slot', 0, { key: 'a' })
      if (free) break
      slots.push(slot)
    }
    expect(slots.length).toBeGreaterThan(0)
    expect(slots).not.toContain(home)
    await busy
  })
})
