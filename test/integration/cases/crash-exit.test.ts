/** A task ends its own thread: it settles with the reason, its neighbours move, and the thread is replaced. */

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { caseTest, SLACK } from '../../support/case-host.js'
import { errorOf, fixtureUrl, type ReportedError, reasonOf, settledWithin, within } from '../../support/outcome.js'

const SECOND_MS = 1_000 * SLACK
const crashing = { module: fixtureUrl('crashing.mjs') }

const EXITS: readonly { task: string; payload?: unknown; exitCode: number }[] = [
  { task: 'exit', payload: 0, exitCode: 0 },
  { task: 'exit', payload: 3, exitCode: 3 },
  { task: 'exitLater', payload: { code: 0, ms: 20 }, exitCode: 0 },
  { task: 'exitLater', payload: { code: 3, ms: 20 }, exitCode: 3 },
  { task: 'exitIo', payload: { code: 3, ms: 20 }, exitCode: 3 },
  { task: 'exitByCodeProperty', exitCode: 7 },
  { task: 'exitInFinally', exitCode: 6 },
  { task: 'exitInsideExitHandler', exitCode: 11 },
  { task: 'dropAllListeners', exitCode: 5 },
]

describe('a task that ends its own thread', () => {
  for (const { task, payload, exitCode } of EXITS) {
    for (const warm of [true, false]) {
      caseTest(
        `rejects with the exit code: ${task} ${JSON.stringify(payload) ?? ''} (${warm ? 'warm' : 'cold'})`,
        async ({ pool }) => {
          const one = pool(crashing)
          if (warm) await one.run('echo', 0)
          const error = await errorOf(SECOND_MS, one.run(task, payload))
          expect(error).toMatchObject({ code: 'EVENKEEL_WORKER_EXIT', exitCode, task, retryable: false })
          expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
        },
      )
    }
  }

  caseTest('can do so twice in a row, with different codes, before the pool is used again', async ({ pool }) => {
    const one = pool()
    const [first, second, next] = await settledWithin(SECOND_MS, [
      one.run('exit', 0),
      one.run('exit', 3),
      one.run('plus', 1),
    ])
    expect(first).toMatchObject({ code: 'EVENKEEL_WORKER_EXIT', exitCode: 0 })
    expect(second).toMatchObject({ code: 'EVENKEEL_WORKER_EXIT', exitCode: 3 })
    expect(next).toBe(2)
  })

  caseTest('takes no posted and no queued task with it', async ({ pool }) => {
    const two = pool({ workers: 2 })
    await two.run('echo', 0)
    const crashes = [two.run('exit', 1), two.run('exit', 2)]
    const others = Array.from({ length: 400 }, (_, i) => two.run('plus', i))
    const [one, other] = await settledWithin(SECOND_MS, crashes)
    expect([(one as ReportedError).exitCode, (other as ReportedError).exitCode].sort()).toEqual([1, 2])
    expect(await settledWithin(SECOND_MS, others)).toEqual(Array.from({ length: 400 }, (_, i) => i + 1))
  })

  caseTest('takes no finished answer with it', async ({ pool }) => {
    const one = pool()
    await one.run('echo', 0)
    const answers = Array.from({ length: 60 }, (_, i) => one.run('echo', i))
    const crash = errorOf(SECOND_MS, one.run('exit', 4))
    expect(await settledWithin(SECOND_MS, answers)).toEqual(Array.from({ length: 60 }, (_, i) => i))
    expect(await crash).toMatchObject({ exitCode: 4 })
  })

  caseTest('after it gave its answer may lose it, but always settles', async ({ pool }) => {
    const one = pool(crashing)
    const [answer] = await settledWithin(SECOND_MS, [one.run('exitWithAnswerUnsent')])
    if (answer !== 'answer')
      expect(answer).toMatchObject({ code: expect.stringMatching(/^EVENKEEL_(WORKER_EXIT|LOST)/) })
  })

  // `process.exit` throws on what its handler throws: the task ends with that, and the thread lives.
  caseTest('and whose exit handler throws still settles', async ({ pool }) => {
    const error = await errorOf(SECOND_MS, pool(crashing).run('throwWhileExiting'))
    expect(error.message).toContain('in the exit handler')
  })

  caseTest('rejects with the code that its own exception handler exits with', async ({ pool }) => {
    const one = pool({ module: fixtureUrl('exit-on-uncaught.mjs') })
    for (const task of ['lateThrow', 'lateThrowIo']) {
      const error = await errorOf(SECOND_MS, one.run(task))
      expect(error).toMatchObject({ code: 'EVENKEEL_WORKER_EXIT', exitCode: 9, task })
      expect(error.cause).toMatchObject({ message: 'late-boom' })
    }
  })

  caseTest('without losing anybody, over and over, is replaced each time', async ({ pool }) => {
    const two = pool({ workers: 2 })
    for (let round = 0; round < 6; round++) {
      const crash = errorOf(SECOND_MS, two.run('exit', round))
      const others = [two.run('plus', round), two.run('plus', round + 1), two.run('plus', round + 2)]
      expect(await crash).toMatchObject({ exitCode: round })
      expect(await settledWithin(SECOND_MS, others)).toEqual([round + 1, round + 2, round + 3])
    }
    const [a, b] = await settledWithin(SECOND_MS * 4, [two.run('tid'), two.run('nap', 200), two.run('nap', 200)])
    expect([a, b].every((value) => typeof value === 'number')).toBe(true)
  })

  caseTest(
    'is tried again where its owner asked for it, and refused for good after three crashes',
    async ({ pool }) => {
      const one = pool()
      const error = await errorOf(20_000, one.run('exit', 1, { retries: { times: 10, backoffMs: 1 } }))
      expect(error).toMatchObject({ code: 'EVENKEEL_POISON', retryable: false, attempts: 3 })
    },
  )
})

describe('a thread that dies between tasks', () => {
  const waitsMs = [26, 27, 28, 29, 30, 31, 32, 33]

  caseTest('never swallows or fails the next task', async ({ pool }) => {
    const one = pool()
    for (const waitMs of waitsMs) {
      expect(await within(SECOND_MS, one.run('exitSoon'))).toBe('ok')
      await sleep(waitMs)
      expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
    }
    expect(await within(SECOND_MS, one.run('exitSoon'))).toBe('ok')
    await sleep(200)
    expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
  })

  caseTest('never swallows a burst: what had not started moves, what had says it was a bystander', async ({ pool }) => {
    const two = pool({ workers: 2 })
    for (const waitMs of waitsMs) {
      await within(SECOND_MS, two.run('exitSoon'))
      await sleep(waitMs)
      const burst = Array.from({ length: 50 }, (_, i) => two.run('plus', i))
      for (const [i, outcome] of (await settledWithin(SECOND_MS, burst)).entries()) {
        if (outcome !== i + 1) expect(outcome).toMatchObject({ code: 'EVENKEEL_LOST_WITH_WORKER', retryable: true })
      }
    }
  })

  caseTest('is told apart from a task in flight: the next one is a bystander, never the culprit', async ({ pool }) => {
    const one = pool()
    await within(SECOND_MS, one.run('exitSoon'))
    const reason = await reasonOf(SECOND_MS, one.run('nap', 500))
    expect(reason).toMatchObject({ code: 'EVENKEEL_LOST_WITH_WORKER', retryable: true, exitCode: 0 })
  })

  caseTest('lets a retryable neighbour run again', async ({ pool }) => {
    const one = pool()
    await within(SECOND_MS, one.run('exitSoon'))
    expect(await within(SECOND_MS, one.run('nap', 100, { retries: { times: 2, backoffMs: 1 } }))).toBe(100)
  })
})

caseTest('a lost task says which worker it was, and which attempt', async ({ pool }) => {
  const error = await errorOf(SECOND_MS, pool().run('exit', 8))
  expect(error).toMatchObject({ slot: 0, attempts: 1 })
  expect(error.message).toContain('exit code 8')
})
