/** Limits of run, wait and total time, at every stage of a task. */

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { caseTest, SLACK } from '../../support/case-host.js'
import { errorOf, fixtureUrl, settledWithin, within } from '../../support/outcome.js'

const SECOND_MS = 1_000 * SLACK

describe('a run limit', () => {
  caseTest('does not count the wait: five naps in a row, each well within it, all resolve', async ({ pool }) => {
    const one = pool()
    const naps = Array.from({ length: 5 }, () => one.run('nap', 120, { runTimeoutMs: 250 * SLACK }))
    expect(await settledWithin(SECOND_MS * 2, naps)).toEqual([120, 120, 120, 120, 120])
  })

  caseTest('does not count the start of the thread', async ({ pool }) => {
    // A thread takes longer than this to boot.
    const one = pool()
    expect(await within(SECOND_MS, one.run('plus', 1, { runTimeoutMs: 25 }))).toBe(2)
  })

  caseTest('does not count the wait behind a blocked worker', async ({ pool }) => {
    const one = pool()
    await one.run('plus', 1)
    const blocked = one.run('spin', 300)
    const behind = Array.from({ length: 20 }, (_, i) => one.run('plus', i, { runTimeoutMs: 100 }))
    expect(await settledWithin(SECOND_MS, [blocked, ...behind])).toEqual([300, ...behind.map((_, i) => i + 1)])
  })

  for (const task of ['forever', 'park', 'never', 'neverIo']) {
    caseTest(`ends what exceeds it, and names itself: ${task}`, async ({ pool }) => {
      const one = pool({ graceMs: 50 })
      const error = await errorOf(SECOND_MS, one.run(task, undefined, { runTimeoutMs: 60 }))
      expect(error).toMatchObject({
        code: 'EVENKEEL_TIMEOUT',
        name: 'TimeoutError',
        limitMs: 60,
        task,
        retryable: false,
      })
      expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
    })
  }

  caseTest('asks first: a task that listens keeps its thread', async ({ pool }) => {
    const one = pool({ graceMs: 500 * SLACK })
    const thread = await one.run('tid')
    for (const task of ['napUntilAborted', 'napIoUntilAborted', 'spinUntilAborted']) {
      expect(await errorOf(SECOND_MS, one.run(task, 20_000, { runTimeoutMs: 40 }))).toMatchObject({
        code: 'EVENKEEL_TIMEOUT',
      })
    }
    expect(await one.run('tid')).toBe(thread)
  })

  caseTest('never ends the next task, though its own time-out was ignored', async ({ pool }) => {
    const one = pool()
    const late = errorOf(SECOND_MS, one.run('nap', 5_000, { runTimeoutMs: 100 }))
    const next = one.run('nap', 1_300)
    expect(await late).toMatchObject({ code: 'EVENKEEL_TIMEOUT' })
    expect(await within(SECOND_MS * 2, next)).toBe(1_300)
  })

  caseTest('that a finished task kept does not fire when the host was blocked meanwhile', async ({ pool }) => {
    const one = pool()
    await one.run('plus', 1)
    const call = one.run('nap', 30, { runTimeoutMs: 100 * SLACK, deadlineMs: 100 * SLACK })
    await sleep(5)
    const endMs = performance.now() + 150 * SLACK
    while (performance.now() < endMs);
    expect(await within(SECOND_MS, call)).toBe(30)
  })

  caseTest('on I/O tasks ends the one, and not its neighbours on the thread', async ({ pool }) => {
    const one = pool({ graceMs: 50 })
    const thread = await one.run('tid')
    const neighbours = [one.run('napIo', 300), one.run('napIo', 310)]
    const error = await errorOf(SECOND_MS, one.run('neverIo', undefined, { runTimeoutMs: 50 }))
    expect(error).toMatchObject({ code: 'EVENKEEL_TIMEOUT' })
    expect(await settledWithin(SECOND_MS, neighbours)).toEqual([300, 310])
    // The thread that may still hold the abandoned task is replaced.
    expect(await within(SECOND_MS, one.run('tid'))).not.toBe(thread)
  })
})

describe('a queue limit', () => {
  caseTest('rejects those that start too late, and says so', async ({ pool }) => {
    const one = pool()
    await one.ready()
    const naps = Array.from({ length: 5 }, () => one.run('nap', 400, { queueTimeoutMs: 600 }))
    const outcomes = await settledWithin(SECOND_MS * 2, naps)
    expect(outcomes[0]).toBe(400)
    for (const late of outcomes.slice(2)) {
      expect(late).toMatchObject({ code: 'EVENKEEL_QUEUE_TIMEOUT', limitMs: 600, retryable: true })
    }
  })

  caseTest('holds for posted tasks and while the threads start', async ({ pool }) => {
    const slow = pool({ module: fixtureUrl('slow-start.mjs'), workerData: { bootMs: 400 } })
    expect(await errorOf(SECOND_MS, slow.run('plus', 1, { queueTimeoutMs: 40 }))).toMatchObject({
      code: 'EVENKEEL_QUEUE_TIMEOUT',
    })
    const one = pool()
    await one.ready()
    const busy = one.run('nap', 500)
    const posted = errorOf(SECOND_MS, one.run('plus', 1, { queueTimeoutMs: 40 }))
    expect(await posted).toMatchObject({ code: 'EVENKEEL_QUEUE_TIMEOUT' })
    expect(await within(SECOND_MS, busy)).toBe(500)
  })

  caseTest('does not touch a task that runs', async ({ pool }) => {
    const one = pool()
    await one.ready()
    expect(await within(SECOND_MS, one.run('nap', 300, { queueTimeoutMs: 100 }))).toBe(300)
  })
})

describe('a deadline', () => {
  caseTest('counts from the call, wherever the task is', async ({ pool }) => {
    const one = pool({ graceMs: 50 })
    await one.ready()
    const running = errorOf(SECOND_MS, one.run('forever', undefined, { deadlineMs: 150 }))
    const waiting = errorOf(SECOND_MS, one.run('plus', 1, { deadlineMs: 60 }))
    expect(await waiting).toMatchObject({ code: 'EVENKEEL_DEADLINE', limitMs: 60 })
    expect(await running).toMatchObject({ code: 'EVENKEEL_DEADLINE', limitMs: 150 })
  })

  caseTest('ends the wait for a next attempt', async ({ pool }) => {
    const one = pool()
    const retries = { times: 50, on: 'any', backoffMs: 5_000 } as const
    expect(await errorOf(SECOND_MS, one.run('fail', 'again', { retries, deadlineMs: 150 }))).toMatchObject({
      code: 'EVENKEEL_DEADLINE',
    })
  })
})

describe('limits of odd size', () => {
  const long = [2 ** 31 - 1, 2 ** 31, 2 ** 32 + 5, Number.POSITIVE_INFINITY, undefined]

  for (const limitMs of long) {
    caseTest(`beyond what a timer holds do not fire at once: ${limitMs}`, async ({ pool }) => {
      const limits = { runTimeoutMs: limitMs, queueTimeoutMs: limitMs, deadlineMs: limitMs }
      expect(await within(SECOND_MS, pool().run('nap', 60, limits))).toBe(60)
    })
  }

  caseTest('that are none are refused', async ({ pool }) => {
    const one = pool()
    for (const limit of ['runTimeoutMs', 'queueTimeoutMs', 'deadlineMs']) {
      for (const value of [-1, Number.NaN, '5', null, Number.NEGATIVE_INFINITY]) {
        const error = await errorOf(SECOND_MS, one.run('plus', 1, { [limit]: value }))
        expect(error).toMatchObject({ code: 'EVENKEEL_INVALID_OPTION', option: limit })
      }
    }
  })

  caseTest('of nothing reject, and the pool goes on', async ({ pool }) => {
    const one = pool({ graceMs: 20 })
    await one.ready()
    for (const limit of ['runTimeoutMs', 'deadlineMs'] as const) {
      await errorOf(SECOND_MS, one.run('never', undefined, { [limit]: 0 }))
    }
  })
})

caseTest('many limits on many tasks hold each for its own task', async ({ pool }) => {
  const two = pool({ workers: 2, graceMs: 30 })
  const calls = Array.from({ length: 60 }, (_, i) => {
    if (i % 3 === 0) return two.run('plus', i, { runTimeoutMs: 20_000, queueTimeoutMs: 20_000 })
    if (i % 3 === 1) return two.run('neverIo', undefined, { runTimeoutMs: 30 + i })
    return two.run('napIo', 20, { deadlineMs: 20_000 })
  })
  for (const [i, outcome] of (await settledWithin(SECOND_MS * 3, calls)).entries()) {
    if (i % 3 === 0) expect(outcome).toBe(i + 1)
    else if (i % 3 === 1) expect(outcome).toMatchObject({ code: 'EVENKEEL_TIMEOUT', limitMs: 30 + i })
    else expect(outcome).toBe(20)
  }
})

describe('a call into native code that does not return', () => {
  for (const warm of [true, false]) {
    caseTest(`holds up no close by force (${warm ? 'running' : 'on a cold pool'})`, async ({ closingPool }) => {
      const one = closingPool({ module: fixtureUrl('native.mjs') })
      if (warm) await one.run('plus', 1)
      const stuck = errorOf(SECOND_MS, one.run('sleepInShell', 2))
      await sleep(100)
      const beganMs = performance.now()
      await within(SECOND_MS, one.close({ force: true, timeoutMs: 500 }))
      expect(performance.now() - beganMs).toBeLessThan(SECOND_MS)
      expect(await stuck).toMatchObject({ code: 'EVENKEEL_CLOSED' })
      await sleep(2_200)
    })
  }

  caseTest('is cut off by its run limit, and the pool works on', async ({ pool }) => {
    const one = pool({ module: fixtureUrl('native.mjs'), graceMs: 50 })
    await one.run('plus', 1)
    const error = await errorOf(SECOND_MS, one.run('sleepInShell', 1, { runTimeoutMs: 50 }))
    expect(error).toMatchObject({ code: 'EVENKEEL_TIMEOUT' })
  })
})
