/** Sizes: refused, changed while running, down to nothing and back. */

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Dispatcher, type DispatcherOptions, type DispatcherSnapshot } from '../../../src/index.js'
import { caseTest, SLACK } from '../../support/case-host.js'
import { errorOf, fixtureUrl, settledWithin, within } from '../../support/outcome.js'
import { soak } from './resize-soak.js'

const SECOND_MS = 1_000 * SLACK

const alive = ({ workers }: DispatcherSnapshot) =>
  workers.filter(({ state }) => state !== 'dead' && state !== 'draining').length

/** Looks again until the condition holds. */
async function until(condition: () => boolean): Promise<void> {
  const look = async () => {
    while (!condition()) await sleep(5)
  }
  await within(SECOND_MS * 3, look())
}

describe('a size that is none', () => {
  const sizes: readonly unknown[] = [
    0,
    -1,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '2',
    null,
    true,
    [],
    {},
    100_000,
    2_000,
    2 ** 53,
    { min: 2.5, max: 4.5 },
    { min: 3, max: 2 },
    { min: -1, max: 2 },
    { min: 0, max: 0 },
    { min: 1 },
    { max: '4', min: 1 },
    { min: 0, max: 100_000 },
    { min: Number.NaN, max: 2 },
    { min: 1, max: 2, idle: 3 },
  ]

  for (const workers of sizes) {
    caseTest(
      `is refused by the constructor and by a resize, by name, and starts nothing: ${JSON.stringify(workers) ?? workers}`,
      async ({ pool }) => {
        const make = () => new Dispatcher({ module: fixtureUrl('small-tasks.mjs'), workers } as DispatcherOptions)
        expect(make).toThrow(/workers/)
        expect(make).toThrow(expect.objectContaining({ code: 'EVENKEEL_INVALID_OPTION' }))
        const one = pool()
        await one.ready()
        expect(() => one.resize(workers as number)).toThrow(
          expect.objectContaining({ code: 'EVENKEEL_INVALID_OPTION' }),
        )
        expect(alive(one.snapshot())).toBe(1)
      },
    )
  }

  test('is of the TypeError family when it is no number, else of the RangeError family', () => {
    const make = (workers: unknown) => () =>
      new Dispatcher({ module: fixtureUrl('small-tasks.mjs'), workers } as DispatcherOptions)
    for (const workers of ['2', null, true]) expect(make(workers)).toThrow(TypeError)
    for (const workers of [0, -1, 1.5, Number.NaN, 100_000]) expect(make(workers)).toThrow(RangeError)
  })

  test('names the limit that it exceeds', () => {
    expect(() => new Dispatcher({ module: fixtureUrl('small-tasks.mjs'), workers: 100_000 })).toThrow(/1,?024/)
  })
})

describe('a pool without a minimum', () => {
  caseTest('starts a thread for the first task, ends it when idle, and starts one again', async ({ pool }) => {
    const some = pool({ workers: { min: 0, max: 3 }, idleMs: 30 })
    expect(alive(some.snapshot())).toBe(0)
    for (let round = 0; round < 3; round++) {
      expect(await within(SECOND_MS, some.run('plus', round))).toBe(round + 1)
      await until(() => alive(some.snapshot()) === 0)
    }
  })

  caseTest('serves its queue whatever ends the thread: exit, throw, abort, limit, recycle', async ({ pool }) => {
    const one = pool({ workers: { min: 0, max: 1 }, graceMs: 20 })
    const stop = new AbortController()
    const losses: [string, object][] = [
      ['exit', {}],
      ['lateThrow', {}],
      ['forever', { signal: stop.signal }],
      ['forever', { runTimeoutMs: 30 }],
    ]
    for (const [task, options] of losses) {
      const loss = errorOf(SECOND_MS, one.run(task, 1, options))
      const waiting = [one.run('plus', 1), one.run('plus', 2)]
      if (task === 'forever') {
        await sleep(40)
        stop.abort()
      }
      await loss
      expect(await settledWithin(SECOND_MS, waiting)).toEqual([2, 3])
    }
    one.recycle()
    expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
  })

  caseTest('makes no more threads than there is work for, and none in turn at the idle edge', async ({ pool }) => {
    const exits: unknown[] = []
    // On a busy machine a fresh thread may look stuck, and its task would be taken back and start another.
    const some = pool({ workers: { min: 0, max: 4 }, idleMs: 30, takeBack: false })
    some.on('exit', (event) => exits.push(event))
    await within(SECOND_MS, some.run('plus', 1))
    await sleep(600)
    expect(exits).toHaveLength(1)
    for (let i = 0; i < 40; i++) {
      expect(await within(SECOND_MS, some.run('plus', i))).toBe(i + 1)
      await sleep(25 + (i % 11))
    }
  })

  caseTest('starts several threads at once for a burst, not one after the other', async ({ pool }) => {
    const some = pool({ workers: { min: 0, max: 3 } })
    const calls = Array.from({ length: 12 }, () => some.run('nap', 20))
    expect(alive(some.snapshot())).toBe(3)
    expect(await settledWithin(SECOND_MS, calls)).toEqual(calls.map(() => 20))
  })
})

describe('a resize', () => {
  caseTest('to one and back under load loses nothing and interrupts nothing', async ({ pool }) => {
    const some = pool({ workers: 3 })
    const calls: Promise<unknown>[] = []
    const expected: unknown[] = []
    const add = (task: string, payload: number, result: number) => {
      calls.push(some.run(task, payload))
      expected.push(result)
    }
    for (let round = 0; round < 6; round++) {
      for (let i = 0; i < 50; i++) add('plus', i, i + 1)
      for (let i = 0; i < 4; i++) add(i % 2 ? 'nap' : 'napIo', 30, 30)
      await sleep(15)
      some.resize(round % 2 === 0 ? 1 : 3)
    }
    expect(await settledWithin(SECOND_MS * 2, calls)).toEqual(expected)
    await until(() => alive(some.snapshot()) === 3)
  })

  caseTest('while the threads start, twenty times in a row, ends at the last size', async ({ pool }) => {
    const some = pool({ workers: 2 })
    const call = some.run('plus', 1)
    for (let i = 0; i < 20; i++) some.resize(1 + (i % 3))
    some.resize(2)
    expect(await within(SECOND_MS, call)).toBe(2)
    await within(SECOND_MS, some.ready())
    await until(() => some.snapshot().workers.filter(({ threadId }) => threadId > 0).length === 2)
    expect(alive(some.snapshot())).toBe(2)
  })

  caseTest('down lets a running task end, and moves what waits behind it', async ({ pool }) => {
    const two = pool({ workers: 2 })
    await two.ready()
    const long = [two.run('nap', 300), two.run('nap', 300), two.run('napIo', 300), two.run('napIo', 300)]
    const behind = Array.from({ length: 20 }, (_, i) => two.run('plus', i))
    two.resize(1)
    expect(await settledWithin(SECOND_MS, long)).toEqual([300, 300, 300, 300])
    expect(await settledWithin(SECOND_MS, behind)).toEqual(behind.map((_, i) => i + 1))
    await until(() => two.snapshot().workers.filter(({ threadId }) => threadId > 0).length === 1)
  })

  caseTest('down while a worker is blocked does not wait for it to go on', async ({ pool }) => {
    const two = pool({ workers: 2 })
    await two.ready()
    const blocked = two.run('spin', 700)
    await sleep(20)
    two.resize(1)
    two.resize(2)
    const others = Array.from({ length: 20 }, (_, i) => two.run('plus', i))
    expect(await settledWithin(SECOND_MS, others)).toEqual(others.map((_, i) => i + 1))
    expect(await within(SECOND_MS, blocked)).toBe(700)
  })

  caseTest('up takes waiting work at once', async ({ pool }) => {
    const some = pool()
    await some.ready()
    const calls = Array.from({ length: 8 }, () => some.run('nap', 100))
    some.resize(4)
    const beganMs = performance.now()
    expect(await settledWithin(SECOND_MS, calls)).toEqual(calls.map(() => 100))
    expect(performance.now() - beganMs).toBeLessThan(800 * SLACK)
    expect(alive(some.snapshot())).toBe(4)
  })

  caseTest('of a closed pool starts nothing', async ({ closingPool }) => {
    const one = closingPool()
    await within(SECOND_MS, one.close())
    one.resize(3)
    one.recycle()
    await sleep(100)
    expect(alive(one.snapshot())).toBe(0)
  })
})

describe('recycling', () => {
  caseTest('by count replaces threads and loses no task', async ({ pool }) => {
    const two = pool({ workers: 2, maxTasksPerWorker: 20 })
    const calls = Array.from({ length: 300 }, (_, i) => two.run('plus', i))
    const threads = new Set(
      await settledWithin(
        SECOND_MS * 3,
        Array.from({ length: 30 }, () => two.run('tid')),
      ),
    )
    expect(await settledWithin(SECOND_MS * 3, calls)).toEqual(calls.map((_, i) => i + 1))
    for (let i = 0; i < 60; i++) threads.add(await within(SECOND_MS, two.run('tid')))
    expect(threads.size).toBeGreaterThan(2)
  })

  caseTest('on demand replaces each thread once, while work goes on', async ({ pool }) => {
    const two = pool({ workers: 2 })
    await two.ready()
    const before = two.snapshot().workers.map(({ threadId }) => threadId)
    const calls = Array.from({ length: 100 }, (_, i) => two.run(i % 10 ? 'plus' : 'nap', i))
    two.recycle()
    const outcomes = await settledWithin(SECOND_MS * 2, calls)
    expect(outcomes).toEqual(calls.map((_, i) => (i % 10 ? i + 1 : i)))
    const replaced = () =>
      two
        .snapshot()
        .workers.every(({ threadId, state }, i) => threadId !== before[i] && threadId > 0 && state === 'idle')
    await until(replaced)
  })
})

test('a second of runs, exits, aborts and resizes at the idle edge settles every promise', () => soak(7, 1_000), 60_000)
