/** Payloads and results that take long to read: taking work back must never keep it from running. */

import { describe, expect } from 'vitest'
import { caseTest, SLACK } from '../../support/case-host.js'
import { fixtureUrl, within } from '../../support/outcome.js'

const neighbours = { module: fixtureUrl('neighbours.mjs') }
const LIMIT_MS = 5_000 * SLACK
/** A task is taken back this often before it stays put, if no other task is in its way. */
const MOST_TAKE_BACKS = 3

const objects = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `n${id}`, tags: ['a', 'b'] }))

const shapes: [string, () => { length?: number; byteLength?: number }][] = [
  ['20,000 objects', () => objects(20_000)],
  ['100,000 objects', () => objects(100_000)],
  ['a text of 50 MB', () => 'x'.repeat(50_000_000)],
  ['a buffer of 100 MB', () => new Uint8Array(100_000_000)],
]

for (const workers of [1, 3]) {
  describe(`with ${workers} workers`, () => {
    for (const [what, make] of shapes) {
      caseTest(`a payload of ${what} runs, is moved hardly, and draws no suspicion`, async ({ pool }) => {
        const one = pool({ ...neighbours, workers })
        const stalls: unknown[] = []
        one.on('stall', (event) => stalls.push(event))
        await within(LIMIT_MS, one.ready())
        const payload = make()
        const runs = ['size', 'sizeIo'].map((name) => one.run(name, payload) as Promise<number>)
        const short = Array.from({ length: 50 }, (_, at) => one.run('plus', at))
        const size = payload.length ?? payload.byteLength
        expect(await within(LIMIT_MS, Promise.all(runs))).toEqual([size, size])
        expect(await within(LIMIT_MS, Promise.all(short))).toEqual(short.map((_, at) => at + 1))
        const takenBack = one.snapshot().workers.reduce((sum, worker) => sum + worker.takenBack, 0)
        expect(takenBack).toBeLessThanOrEqual(MOST_TAKE_BACKS * 52)
        expect(stalls).toEqual([])
      })
    }

    caseTest('a burst of large payloads runs', async ({ pool }) => {
      const one = pool({ ...neighbours, workers })
      const payload = objects(10_000)
      const runs = Array.from({ length: 30 }, () => one.run('size', payload))
      expect(await within(LIMIT_MS, Promise.all(runs))).toEqual(Array(30).fill(10_000))
      const takenBack = one.snapshot().workers.reduce((sum, worker) => sum + worker.takenBack, 0)
      expect(takenBack).toBeLessThanOrEqual(MOST_TAKE_BACKS * 30)
    })

    caseTest('a result that is slow to write and to read moves nobody twice for it', async ({ pool }) => {
      const one = pool({ ...neighbours, workers })
      const stalls: unknown[] = []
      one.on('stall', (event) => stalls.push(event))
      await within(LIMIT_MS, one.ready())
      const large = one.run('objects', 200_000) as Promise<unknown[]>
      const short = Array.from({ length: 500 }, (_, at) => one.run('plus', at))
      expect((await within(LIMIT_MS, large)).length).toBe(200_000)
      expect(await within(LIMIT_MS, Promise.all(short))).toEqual(short.map((_, at) => at + 1))
      expect(stalls).toEqual([])
    })
  })
}
