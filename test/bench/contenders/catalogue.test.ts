import { afterEach, describe, expect, test } from 'vitest'
import { contenderNames } from '../../../bench/contenders/catalogue.js'
import type { Contender } from '../../../bench/contenders/contender.js'
import type { Trace } from '../../../bench/tasks.js'
import { builtCatalogue, builtPool } from '../built.js'

/** Settings under which each is measured somewhere. */
const variants = [
  ...contenderNames.map((name) => ({ name, settings: {} })),
  { name: 'evenkeel', settings: { strategy: 'least-outstanding', mode: 'push' } },
  { name: 'evenkeel', settings: { metrics: true } },
  { name: 'piscina', settings: { atomics: 'disabled', concurrentTasksPerWorker: 64, recordTiming: false } },
  { name: 'piscina', settings: { atomics: 'disabled', balancer: 'lag-aware' } },
  { name: 'poolifier', settings: { strategy: 'FAIR_SHARE' } },
] as const

let pool: Contender | undefined

afterEach(async () => {
  // A peer that hangs at its end is no fault of the contender's file; the harness leaves it too.
  if (pool !== undefined) await (await builtPool()).closePool(pool)
  pool = undefined
})

async function open({ name, settings }: (typeof variants)[number]): Promise<Contender> {
  const { contenderEntry } = await builtCatalogue()
  pool = (await contenderEntry(name).load())(2, settings)
  return pool
}

describe('contenders', () => {
  test.each(variants)('$name $settings returns every answer to its own call, from both threads', async (variant) => {
    const opened = await open(variant)
    const { warmThreads } = await builtPool()
    expect((await warmThreads(opened, 2)).size).toBe(2)
    const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => opened.run('noop', at)))
    expect(answers).toEqual(Array.from({ length: 200 }, (_, at) => at))
  })

  test.each(variants)('$name $settings says where and when a task ran', async (variant) => {
    const opened = await open(variant)
    const [thread, startedMs, finishedMs] = (await opened.run('hold', { kind: 'parked', ms: 5 })) as Trace
    expect(thread).toBeGreaterThan(0)
    expect(finishedMs - startedMs).toBeGreaterThanOrEqual(4.9)
  })

  // The floor keeps no books and moves nothing.
  test.each(variants.filter(({ name }) => name !== 'floor'))('$name $settings moves a buffer', async (variant) => {
    const opened = await open(variant)
    await opened.run('noop', 0)
    const bytes = new Uint8Array(1_024).fill(2)
    expect(await opened.run('sum', bytes, [bytes.buffer])).toBe(32)
    expect(bytes.byteLength).toBe(0)
  })
})
