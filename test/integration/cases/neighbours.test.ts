/** Tasks of one burst travel together, and must not notice: each gets, and gives, what it would alone. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../../support/seeded-properties.js'
import { Dispatcher } from '../../../src/index.js'
import { caseTest, SLACK } from '../../support/case-host.js'
import { fixtureUrl, within } from '../../support/outcome.js'

const neighbours = { module: fixtureUrl('neighbours.mjs') }
const SECOND_MS = 1_000 * SLACK

const all = <T>(promises: Promise<T>[]) => within(SECOND_MS, Promise.all(promises))

describe('tasks of one burst', () => {
  caseTest('that get the same object each get one of their own', async ({ pool }) => {
    const one = pool(neighbours)
    for (let run = 0; run < 300; run++) await one.run('inc', { n: run })
    const object = { n: 0 }
    expect(await all(Array.from({ length: 8 }, () => one.run('inc', object)))).toEqual(Array(8).fill(1))
  })

  caseTest('that get small Buffers, which share their memory, may each move their own on', async ({ pool }) => {
    const one = pool(neighbours)
    const texts = Array.from({ length: 8 }, (_, at) => `word ${at}`)
    const results = (await all(texts.map((text) => one.run('edited', Buffer.from(text))))) as Uint8Array[]
    expect(results.map((bytes) => Buffer.from(bytes).toString())).toEqual(texts.map((text) => `A${text.slice(1)}`))
  })

  caseTest('that return the same object give each caller one of its own', async ({ pool }) => {
    const one = pool(neighbours)
    const [first, second] = (await all([one.run('keptState'), one.run('keptState')])) as { list: number[] }[]
    first!.list.push(9)
    expect(second!.list).toEqual([1, 2])
  })

  caseTest('that return an object which the next one changes give it as it was', async ({ pool }) => {
    const one = pool(neighbours)
    const burst = Array.from({ length: 5 }, () => one.run('changedState') as Promise<{ count: number }>)
    expect((await all(burst)).map(({ count }) => count)).toEqual([1, 2, 3, 4, 5])
  })

  caseTest('that throw errors with the same object in them do not share it', async ({ pool }) => {
    const one = pool(neighbours)
    const burst = await Promise.allSettled([one.run('failWithState'), one.run('failWithState')])
    const [first, second] = burst.map((end) => (end as PromiseRejectedResult).reason.state as { list: number[] })
    first!.list.push(9)
    expect(second!.list).toEqual([1, 2])
  })

  caseTest('that return small Buffers give memory that can be moved one by one', async ({ pool }) => {
    const one = pool(neighbours)
    const texts = ['a', 'b', 'c', 'd', 'e', 'f']
    const results = (await all(texts.map((text) => one.run('smallBuffer', text)))) as Uint8Array[]
    structuredClone(results[5], { transfer: [results[5]!.buffer as ArrayBuffer] })
    expect(results.slice(0, 5).map((bytes) => Buffer.from(bytes).toString())).toEqual(texts.slice(0, 5))
  })
})

test('a burst over random graphs gives what lone tasks give, payloads, results and edits', async () => {
  const pool = new Dispatcher({ ...neighbours, workers: 1 })
  await pool.ready()
  const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null), fc.constant(undefined))
  /** Indices choose, from all that was made before, what a new node holds: so nodes are shared, and hold themselves. */
  const plan = fc.array(
    fc.record({
      kind: fc.constantFrom('object', 'array', 'map', 'buffer', 'leaf'),
      links: fc.array(fc.nat(30), { maxLength: 3 }),
      value: leaf,
    }),
    { minLength: 1, maxLength: 12 },
  )
  const graphOf = (nodes: readonly { kind: string; links: number[]; value: unknown }[], seen: unknown[]): unknown => {
    for (const { kind, links, value } of nodes) {
      const held = links.map((link) => seen[link % Math.max(1, seen.length)])
      if (kind === 'leaf') seen.push(value)
      else if (kind === 'buffer') seen.push(Buffer.from(`b${String(value)}`))
      else if (kind === 'map') seen.push(new Map(held.map((inner, at) => [at, inner])))
      else {
        const node: Record<string, unknown> | unknown[] = kind === 'array' ? [] : {}
        for (const [at, inner] of held.entries()) Reflect.set(node, kind === 'array' ? at : `k${at}`, inner)
        if (links.length === 2 && kind === 'object') Reflect.set(node, 'self', node)
        seen.push(node)
      }
    }
    return seen.at(-1)
  }
  const task = fc.constantFrom('inspect', 'inspectIo')
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: 2, maxLength: 6 }), task, async (plans, name) => {
      // One list for all payloads: later ones hold parts of earlier ones.
      const seen: unknown[] = []
      const payloads = plans.map((nodes) => graphOf(nodes, seen))
      const lone: unknown[] = []
      for (const payload of payloads) lone.push(await pool.run(name, payload))
      const burst = await Promise.all(payloads.map((payload) => pool.run(name, payload)))
      expect(burst).toEqual(lone)
    }),
    { numRuns: 150 },
  )
  await pool.close()
})
