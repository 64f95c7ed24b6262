import { describe, expect, test } from 'vitest'
import { caseTest } from '../support/case-host.js'
import { errorOf, within } from '../support/outcome.js'

const LIMIT_MS = 20_000

describe('waiting tasks', () => {
  caseTest('of a tag can be put first while they wait', async ({ pool: open }) => {
    const pool = open({ window: 1 })
    await pool.ready()
    const blocker = pool.run('spin', 30)
    const marks = Array.from({ length: 12 }, (_, n) => pool.run('mark', n, n % 3 === 0 ? { tag: 'urgent' } : {}))
    expect(pool.setPriority('urgent', 9)).toBe(4)
    await within(LIMIT_MS, Promise.all([blocker, ...marks]))
    expect(await pool.run('marks')).toEqual([0, 3, 6, 9, 1, 2, 4, 5, 7, 8, 10, 11])
    expect(pool.setPriority('urgent', 9)).toBe(0)
  })

  caseTest('and running ones of a tag are cancelled together, others are not', async ({ pool: open }) => {
    const pool = open({ workers: 2 })
    await pool.ready()
    const heard = pool.run('napIoUntilAborted', 60_000, { tag: 'export' })
    const queued = Array.from({ length: 50 }, () => pool.run('nap', 60_000, { tag: 'export' }))
    const other = pool.run('plus', 1, { tag: 'other' })
    expect(pool.cancel('export', 'changed my mind')).toBe(51)
    for (const error of await Promise.all([heard, ...queued].map((run) => errorOf(LIMIT_MS, run)))) {
      expect(error).toMatchObject({ code: 'EVENKEEL_ABORTED', cause: 'changed my mind' })
    }
    expect(await within(LIMIT_MS, other)).toBe(2)
    expect(pool.cancel('export')).toBe(0)
  })

  caseTest('stay where they are during a pause, and all run afterwards in order', async ({ pool: open }) => {
    const pool = open({ workers: 1 })
    await pool.ready()
    pool.pause()
    const marks = Array.from({ length: 100 }, (_, n) => pool.run('mark', n))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect([pool.paused, pool.snapshot().queued, pool.snapshot().completed]).toEqual([true, 100, 0])
    pool.resume()
    await within(LIMIT_MS, Promise.all(marks))
    expect(await pool.run('marks')).toEqual(Array.from({ length: 100 }, (_, n) => n))
  })

  caseTest('of a paused pool are finished by its close', async ({ closingPool }) => {
    const pool = closingPool()
    pool.pause()
    const values = Array.from({ length: 10 }, (_, n) => pool.run('plus', n))
    await within(LIMIT_MS, pool.close())
    expect(await Promise.all(values)).toHaveLength(10)
    pool.pause()
    expect(pool.paused).toBe(false)
  })

  caseTest('start no sooner than their delay says', async ({ pool: open }) => {
    const pool = open()
    await pool.ready()
    const delayed = pool.run('mark', 'delayed', { delayMs: 60 })
    await within(LIMIT_MS, Promise.all([delayed, pool.run('mark', 'at once')]))
    expect(await pool.run('marks')).toEqual(['at once', 'delayed'])
  })
})

describe('shared runs', () => {
  caseTest('equal keys run once, and each caller may leave on its own', async ({ pool: open }) => {
    const pool = open()
    await pool.ready()
    const leaver = new AbortController()
    const blocker = pool.run('spin', 20)
    const calls = Array.from({ length: 20 }, () => pool.run('mark', 1, { share: 'one' }))
    const left = pool.run('mark', 1, { share: 'one', signal: leaver.signal })
    leaver.abort('bored')
    expect(await errorOf(LIMIT_MS, left)).toMatchObject({ code: 'EVENKEEL_ABORTED', cause: 'bored' })
    await within(LIMIT_MS, Promise.all([blocker, ...calls]))
    expect(await pool.run('marks')).toEqual([1])
    await pool.run('mark', 2, { share: 'one' })
    expect(await pool.run('marks')).toEqual([1, 2])
  })

  caseTest('an error is everybody’s, and a refused call is a rejection', async ({ pool: open }) => {
    const pool = open()
    const calls = [1, 2, 3].map(() => pool.run('fail', 'boom', { share: '' }))
    const errors = await Promise.all(calls.map((call) => errorOf(LIMIT_MS, call)))
    expect(errors.map(({ message }) => message)).toEqual(['boom', 'boom', 'boom'])
    const wrong = pool.run('plus', 1, { share: 'a', priority: 0.5 })
    expect(await errorOf(LIMIT_MS, wrong)).toMatchObject({ option: 'priority' })
    const aborted = pool.run('plus', 1, { share: 'a', signal: AbortSignal.abort('no') })
    expect(await errorOf(LIMIT_MS, aborted)).toMatchObject({ cause: 'no' })
  })

  caseTest('when all callers have left, the task ends', async ({ pool: open }) => {
    const pool = open()
    await pool.ready()
    const controller = new AbortController()
    const options = { share: 'a', signal: controller.signal }
    const calls = [pool.run('napUntilAborted', 60_000, options), pool.run('napUntilAborted', 60_000, options)]
    await pool.run('napIo', 1)
    controller.abort()
    const errors = await Promise.all(calls.map((call) => errorOf(LIMIT_MS, call)))
    expect(errors.map(({ name }) => name)).toEqual(['AbortError', 'AbortError'])
    await within(LIMIT_MS, pool.idle())
    expect(await pool.run('marks')).toEqual(['cleaned'])
  })
})

describe('a bounded queue', () => {
  caseTest('refuses at once what does not fit', async ({ pool: open }) => {
    const pool = open({ maxQueue: 20 })
    await pool.ready()
    let drains = 0
    pool.on('drain', () => drains++)
    const runs = Array.from({ length: 100 }, () => pool.run('nap', 5))
    const ends = await within(LIMIT_MS, Promise.allSettled(runs))
    expect(ends.map(({ status }) => status === 'fulfilled')).toEqual(Array.from({ length: 100 }, (_, n) => n < 21))
    expect((ends[99] as PromiseRejectedResult).reason).toMatchObject({ code: 'EVENKEEL_QUEUE_FULL', retryable: true })
    expect(drains).toBe(1)
  })

  caseTest(
    'is never exceeded by callers that wait for room, and each refusal has its drain',
    async ({ pool: open }) => {
      const pool = open({ maxQueue: 20 })
      await pool.ready()
      let drains = 0
      pool.on('drain', () => drains++)
      let most = 0
      const runs: Promise<unknown>[] = []
      for (let n = 0; n < 100; n++) {
        await pool.room()
        runs.push(pool.run('nap', 1))
        const { queued, running } = pool.snapshot()
        most = Math.max(most, queued + running)
      }
      expect(most).toBeLessThanOrEqual(21)
      await within(LIMIT_MS, Promise.all(runs))
      expect(drains).toBe(0)
      for (let crossing = 1; crossing <= 3; crossing++) {
        await Promise.allSettled(Array.from({ length: 40 }, () => pool.run('plus', 1)))
        expect(drains).toBe(crossing)
      }
    },
  )
})

describe('places in a bounded queue', () => {
  for (const between of ['nothing', 'promises', 'a turn of the loop']) {
    caseTest(`are good for the next call, with ${between} between: 30 producers`, async ({ pool: open }) => {
      const pool = open({ maxQueue: 10, workers: 2 })
      await pool.ready()
      const producer = async (producer: number) => {
        for (let n = 0; n < 50; n++) {
          await pool.room()
          if (between === 'promises') for (let depth = 0; depth < 5; depth++) await undefined
          if (between === 'a turn of the loop') await new Promise(setImmediate)
          await pool.run(producer % 3 === 0 ? 'napIo' : 'plus', n % 3)
        }
      }
      await within(LIMIT_MS, Promise.all(Array.from({ length: 30 }, (_, n) => producer(n))))
      expect(pool.snapshot().rejected).toBe(0)
    })
  }

  caseTest('are taken by loops as well, which are never refused', async ({ pool: open }) => {
    const pool = open({ maxQueue: 5, workers: 2 })
    await pool.ready()
    const loop = async (name: string) => {
      let sum = 0
      for await (const { value } of pool.map(name, Array(300).fill(1))) sum += value as number
      return sum
    }
    const producer = async () => {
      for (let n = 0; n < 30; n++) {
        await pool.room()
        await pool.run('plus', n)
      }
    }
    const loops = Promise.all([loop('plus'), loop('napIo')])
    await within(LIMIT_MS, Promise.all([loops, ...Array.from({ length: 10 }, producer)]))
    expect(await loops).toEqual([600, 300])
    expect(pool.snapshot().rejected).toBe(0)
  })

  caseTest('that nobody takes hold nobody up', async ({ pool: open }) => {
    const pool = open({ maxQueue: 1, window: 1 })
    await pool.ready()
    const naps = [pool.run('nap', 20), pool.run('nap', 20)]
    const idlers = Array.from({ length: 200 }, () => pool.room())
    await within(LIMIT_MS, Promise.all([...naps, ...idlers]))
    expect(await within(LIMIT_MS, pool.run('plus', 1))).toBe(2)
  })
})

test('names of groups and priorities are checked', async () => {
  const { Dispatcher } = await import('../../src/index.js')
  const pool = new Dispatcher({ module: '/nowhere.mjs', workers: { min: 0, max: 1 } })
  const loose = pool as unknown as Record<string, (...args: unknown[]) => unknown>
  expect(() => loose.setPriority!('a', 0.5)).toThrow(expect.objectContaining({ option: 'priority' }))
  expect(() => loose.setPriority!(1, 0)).toThrow(expect.objectContaining({ option: 'tag' }))
  expect(() => loose.cancel!(undefined)).toThrow(expect.objectContaining({ option: 'tag' }))
  await pool.close()
})
