import { describe, expect, test } from 'vitest'
import { caseTest } from '../support/case-host.js'
import { runHost } from '../support/host-script.js'
import { errorOf, fixtureUrl, within } from '../support/outcome.js'

const LIMIT_MS = 20_000

describe('defaults of a pool', () => {
  caseTest('hold for runs, maps and streams, and a call sets them aside', async ({ pool: open }) => {
    const pool = open({ defaults: { runTimeoutMs: 30 }, graceMs: 30 })
    const timeout = { code: 'EVENKEEL_TIMEOUT', limitMs: 30 }
    expect(await errorOf(LIMIT_MS, pool.run('never'))).toMatchObject(timeout)
    expect(await errorOf(LIMIT_MS, pool.run('never', undefined, { runTimeoutMs: undefined }))).toMatchObject(timeout)
    expect(await errorOf(LIMIT_MS, pool.map('never', [1]).next())).toMatchObject(timeout)
    expect(await errorOf(LIMIT_MS, pool.stream('never').next())).toMatchObject(timeout)
    expect(await errorOf(LIMIT_MS, pool.runOnAll('never'))).toMatchObject(timeout)
    const longer = { runTimeoutMs: Number.POSITIVE_INFINITY, deadlineMs: 60 }
    expect(await errorOf(LIMIT_MS, pool.run('never', undefined, longer))).toMatchObject({ code: 'EVENKEEL_DEADLINE' })
  })
})

describe('options of a call', () => {
  caseTest('may be given again with another priority', async ({ pool: open }) => {
    const pool = open()
    await pool.ready()
    pool.pause()
    const options = { priority: 1, tag: 'a' }
    const first = errorOf(LIMIT_MS, pool.run('echo', 1, options))
    options.priority = 5
    options.tag = 'b'
    const second = pool.run('echo', 2, options)
    expect(pool.snapshot().queuedByPriority).toEqual(
      expect.arrayContaining([
        { priority: 1, tasks: 1 },
        { priority: 5, tasks: 1 },
      ]),
    )
    expect(pool.cancel('a')).toBe(1)
    expect(await first).toMatchObject({ code: 'EVENKEEL_ABORTED' })
    pool.resume()
    expect(await within(LIMIT_MS, second)).toBe(2)
  })

  caseTest('may be given again with another gate', async ({ pool: open }) => {
    const pool = open({ gates: { a: { concurrency: 1 }, b: { concurrency: 1 } } })
    const options = { gate: 'a' }
    const runs = [pool.run('napIo', 20, options)]
    options.gate = 'b'
    runs.push(pool.run('napIo', 1, options), pool.run('napIo', 1, { gate: 'a' }), pool.run('napIo', 1, { gate: 'b' }))
    expect(await within(LIMIT_MS, Promise.all(runs))).toEqual([20, 1, 1, 1])
    expect(pool.snapshot()).toMatchObject({ gated: 0, queued: 0 })
  })

  caseTest('may be given again with another signal', async ({ pool: open }) => {
    const pool = open()
    const listeners = new Set<unknown>()
    const signal = {
      aborted: false,
      addEventListener: (_: string, listener: unknown) => void listeners.add(listener),
      removeEventListener: (_: string, listener: unknown) => void listeners.delete(listener),
    } as unknown as AbortSignal
    const options = { signal }
    const run = pool.run('nap', 5, options)
    expect(listeners.size).toBe(1)
    options.signal = new AbortController().signal
    await within(LIMIT_MS, run)
    expect(listeners.size).toBe(0)
  })

  caseTest('count as they were, retries and transfer lists too', async ({ pool: open }) => {
    const pool = open()
    await pool.ready()
    pool.pause()
    const retries = { times: 0, on: 'any' as 'any' | 'worker-loss', backoffMs: 1 }
    const failed = errorOf(LIMIT_MS, pool.run('fail', 'no', { retries }))
    retries.times = 5
    const bytes = new ArrayBuffer(8)
    const transfer = [bytes]
    const moved = pool.run('len', bytes, { transfer })
    transfer.length = 0
    pool.resume()
    expect((await failed).message).toBe('no')
    expect(await within(LIMIT_MS, moved)).toBe(8)
    expect(bytes.byteLength).toBe(0)
  })

  caseTest('are read once, own ones only, frozen or not', async ({ pool: open }) => {
    const pool = open()
    let reads = 0
    const getter = {
      get priority() {
        reads++
        return reads
      },
    }
    class Inherited {
      get signal() {
        return 'no signal'
      }
      readonly priority = 2
    }
    const proxy = new Proxy({ priority: 3 }, {})
    const inherited = Object.create({ priority: 'high', signal: 5 })
    const all = [getter, new Inherited(), proxy, inherited, Object.freeze({ priority: 4 })]
    expect(await within(LIMIT_MS, Promise.all(all.map((options) => pool.run('plus', 1, options as object))))).toEqual(
      all.map(() => 2),
    )
    expect(reads).toBe(1)
  })

  caseTest('of maps and streams are read at the call, not at the first pull', async ({ pool: open }) => {
    const pool = open()
    const ofMap: Record<string, unknown> = { onError: 'yield' }
    const map = pool.map('fail', ['no'], ofMap)
    const ofStream: Record<string, unknown> = {}
    const stream = pool.stream('plus', 1, ofStream)
    ofMap.onError = 'throw'
    ofStream.retries = { times: 1 }
    expect((await within(LIMIT_MS, map.next())).value).toMatchObject({ index: 0, error: { message: 'no' } })
    expect(await errorOf(LIMIT_MS, stream.next())).toMatchObject({ name: 'TypeError' })
  })

  caseTest('that cannot be read are a rejection', async ({ pool: open }) => {
    const pool = open()
    const options = {
      get priority(): number {
        throw new Error('not yet')
      },
    }
    expect((await errorOf(LIMIT_MS, pool.run('plus', 1, options))).message).toBe('not yet')
  })
})

test('options that stand on the prototype of all objects set nothing anywhere', async () => {
  const { stdout } = await runHost(fixtureUrl('polluted-host.mjs'))
  expect(JSON.parse(stdout)).toEqual({
    runs: [2, 2, 2, 2, 2, 2, 2],
    all: [2],
    mapped: [2, 2],
    strategy: 'range-table',
    queued: 0,
    last: 50,
    faults: [],
  })
})
