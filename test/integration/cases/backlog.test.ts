/** Order, age and depth of what waits, and what a snapshot tells about it. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Dispatcher, StallEvent } from '../../../src/index.js'
import { caseTest, SLACK } from '../../support/case-host.js'
import { runHost } from '../../support/host-script.js'
import { errorOf, fixtureUrl, settledWithin, within } from '../../support/outcome.js'

const SECOND_MS = 1_000 * SLACK

describe('tasks of one priority', () => {
  caseTest('start in the order of the calls: a dozen at once', async ({ pool }) => {
    const one = pool()
    await one.run('echo', 0)
    await within(SECOND_MS, Promise.all(Array.from({ length: 12 }, (_, i) => one.run('mark', i))))
    expect(await one.run('marks')).toEqual(Array.from({ length: 12 }, (_, i) => i))
  })

  for (const warm of [true, false]) {
    caseTest(
      `start in the order of the calls: thousands, in bursts, ${warm ? 'warm' : 'while the thread starts'}`,
      async ({ pool }) => {
        const one = pool()
        if (warm) await one.run('echo', 0)
        const calls: Promise<unknown>[] = []
        for (let i = 0; i < 3_000; i++) {
          calls.push(one.run('mark', i))
          if (i % 150 === 149) await sleep(0)
        }
        await within(SECOND_MS, Promise.all(calls))
        expect(await one.run('marks')).toEqual(calls.map((_, i) => i))
      },
    )
  }

  caseTest('start in order behind a blocked worker, although they were posted and taken back', async ({ pool }) => {
    const one = pool()
    for (let i = 0; i < 200; i++) await one.run('echo', i)
    const blocked = one.run('spin', 200)
    const calls: Promise<unknown>[] = []
    for (let i = 0; i < 400; i++) {
      calls.push(one.run('mark', i))
      if (i % 40 === 39) await sleep(10)
    }
    await within(SECOND_MS, Promise.all([blocked, ...calls]))
    expect(await one.run('marks')).toEqual(calls.map((_, i) => i))
  })

  caseTest('never wait longer than the backlog is deep, in a closed loop', async ({ pool }) => {
    const one = pool()
    await one.run('echo', 0)
    const depth = 50
    let completions = 0
    let longest = 0
    const loop = async () => {
      while (completions < 3_000) {
        const submittedAt = completions
        await one.run('plus', 1)
        longest = Math.max(longest, completions - submittedAt)
        completions++
      }
    }
    await within(SECOND_MS * 3, Promise.all(Array.from({ length: depth }, loop)))
    expect(longest).toBeLessThanOrEqual(depth)
  })
})

describe('tasks of several priorities', () => {
  caseTest('start larger first, in order within each', async ({ pool }) => {
    const one = pool()
    await one.ready()
    const blocked = one.run('nap', 150)
    const calls: Promise<unknown>[] = []
    for (let i = 0; i < 30; i++) calls.push(one.run('mark', `${i % 3}.${i}`, { priority: i % 3 }))
    await within(SECOND_MS, Promise.all([blocked, ...calls]))
    const order = [2, 1, 0].flatMap((priority) =>
      Array.from({ length: 30 }, (_, i) => i)
        .filter((i) => i % 3 === priority)
        .map((i) => `${priority}.${i}`),
    )
    expect(await one.run('marks')).toEqual(order)
  })

  caseTest('do not starve the lowest: waiting raises it', async ({ pool }) => {
    const one = pool({ ageMs: 20 })
    await one.ready()
    const low = one.run('nap', 5)
    let lowIsDone = false
    void low.then(() => {
      lowIsDone = true
    })
    const waitingLow = one.run('echo', 'low')
    let rounds = 0
    const flood = async () => {
      while (rounds++ < 400 && !(lowIsDone && (await Promise.race([waitingLow, 0])) === 'low'))
        await one.run('nap', 5, { priority: 5 })
    }
    await within(SECOND_MS * 3, Promise.all([flood(), flood(), flood()]))
    expect(await within(SECOND_MS, waitingLow)).toBe('low')
    expect(rounds).toBeLessThan(400)
  })
})

describe('a task that never settles', () => {
  for (const task of ['never', 'neverIo', 'forever', 'park']) {
    caseTest(`shows in the snapshot as ever older, and ends by a limit: ${task}`, async ({ pool }) => {
      const one = pool({ graceMs: 30 })
      await one.ready()
      const stop = new AbortController()
      const stuck = errorOf(SECOND_MS, one.run(task, undefined, { signal: stop.signal }))
      await sleep(60)
      const early = one.snapshot().workers[0]!.oldestRunningMs
      await sleep(120)
      const late = one.snapshot().workers[0]!.oldestRunningMs
      expect(early).toBeGreaterThan(0)
      expect(late - early).toBeGreaterThan(60)
      expect(one.snapshot().running).toBe(1)
      stop.abort()
      await stuck
      expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
      expect(one.snapshot().workers[0]!.oldestRunningMs).toBe(0)
    })
  }

  caseTest('does not hold up others that wait, once it has a limit', async ({ pool }) => {
    const one = pool({ graceMs: 30 })
    const stuck = errorOf(SECOND_MS, one.run('never', undefined, { runTimeoutMs: 100 }))
    expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
    expect(await stuck).toMatchObject({ code: 'EVENKEEL_TIMEOUT' })
  })
})

describe('a blocked worker', () => {
  for (const task of ['spin', 'park']) {
    caseTest(`reports a rising lag while the host's timers go on: ${task}`, async ({ pool }) => {
      const one = pool({ stallUnknownMs: 250 })
      await one.ready()
      const stalls: StallEvent[] = []
      one.on('stall', (event) => stalls.push(event))
      let recovered = 0
      one.on('recover', () => recovered++)
      const blocked = within(SECOND_MS * 2, one.run(task, 1_500))
      const lags: number[] = []
      for (let i = 0; i < 8; i++) {
        await sleep(150)
        lags.push(one.snapshot().workers[0]!.lagMs)
      }
      expect(lags.at(-1)!).toBeGreaterThan(500)
      expect(lags.at(-1)!).toBeGreaterThan(lags[1]!)
      await blocked
      expect(stalls).toHaveLength(1)
      expect(stalls[0]).toMatchObject({ slot: 0, task })
      expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
      expect(recovered).toBe(1)
      expect(one.snapshot().workers[0]!.stalls).toBe(1)
    })
  }
})

async function floodMs(pool: Dispatcher, count: number): Promise<number> {
  const beganMs = performance.now()
  let sum = 0
  const calls = new Array<Promise<unknown>>(count)
  for (let i = 0; i < count; i++) calls[i] = pool.run('plus', i)
  for (const [i, value] of (await Promise.all(calls)).entries()) sum += (value as number) - i
  expect(sum).toBe(count)
  return performance.now() - beganMs
}

describe('a deep queue', () => {
  caseTest(
    'takes time in proportion: 200,000 at once, against 20,000',
    async ({ pool }) => {
      const two = pool({ workers: 2 })
      await two.ready()
      await floodMs(two, 20_000)
      const fewMs = Math.min(await floodMs(two, 20_000), await floodMs(two, 20_000), await floodMs(two, 20_000))
      const manyMs = await within(60_000, floodMs(two, 200_000))
      expect(manyMs / fewMs).toBeLessThan(10 * SLACK)
    },
    90_000,
  )

  caseTest(
    'of a cold pool is no slower by orders',
    async ({ pool }) => {
      const two = pool({ workers: 2 })
      await within(60_000, floodMs(two, 100_000))
    },
    90_000,
  )

  caseTest('of a limited pool refuses at once what is too much', async ({ pool }) => {
    const one = pool({ maxQueue: 20 })
    await one.ready()
    const calls = Array.from({ length: 100 }, () => one.run('nap', 5))
    const outcomes = await settledWithin(SECOND_MS, calls)
    expect(outcomes.filter((outcome) => outcome === 5)).toHaveLength(21)
    for (const refused of outcomes.slice(21)) {
      expect(refused).toMatchObject({ code: 'EVENKEEL_QUEUE_FULL', maxQueue: 20, retryable: true })
    }
  })

  caseTest('never starts a task that it refused', async ({ pool }) => {
    const one = pool({ maxQueue: 0 })
    await one.ready()
    const outcomes = await settledWithin(
      SECOND_MS,
      Array.from({ length: 50 }, (_, i) => one.run('mark', i)),
    )
    const accepted = outcomes.flatMap((outcome, i) => (outcome === undefined ? [i] : []))
    expect(await one.run('marks')).toEqual(accepted)
  })

  caseTest('is waited for by room, and keeps few in memory', async ({ pool }) => {
    const one = pool({ maxQueue: 20 })
    const calls: Promise<unknown>[] = []
    let most = 0
    for (let i = 0; i < 100; i++) {
      await within(SECOND_MS, one.room())
      calls.push(one.run('nap', 2))
      const { queued, running } = one.snapshot()
      most = Math.max(most, queued + running)
    }
    expect(await settledWithin(SECOND_MS, calls)).toEqual(calls.map(() => 2))
    expect(most).toBeLessThanOrEqual(21)
  })
})

caseTest('the caller’s context is kept, each its own, in answers and errors', async ({ pool }) => {
  const one = pool()
  const context = new AsyncLocalStorage<number>()
  const calls = Array.from({ length: 100 }, (_, i) =>
    context.run(i, () =>
      i % 2 ? one.run('plus', i).then(() => context.getStore()) : one.run('fail', 'x').catch(() => context.getStore()),
    ),
  )
  expect(await settledWithin(SECOND_MS, calls)).toEqual(calls.map((_, i) => i))
})

describe('many tasks leave no memory behind', () => {
  for (const task of ['plus', 'fail', 'napIo']) {
    const count = task === 'plus' ? 100_000 : 20_000
    test(`${count} × ${task}`, async () => {
      const { stdout, stderr } = await runHost(fixtureUrl('leak-host.mjs'), {
        execArgv: ['--expose-gc'],
        args: [task, String(count)],
      })
      expect(Number.parseInt(stdout, 10), stderr).toBeLessThan(1_048_576 * SLACK)
    }, 35_000)
  }
})
