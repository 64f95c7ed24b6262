/** Setup and teardown of the module, well and badly behaved. */

import { describe, expect } from 'vitest'
import { caseTest, SLACK } from '../../support/case-host.js'
import { errorOf, fixtureUrl, settledWithin, within } from '../../support/outcome.js'

const SECOND_MS = 1_000 * SLACK
const module = fixtureUrl('hooks.mjs')

function hooks(data: { inSetup?: string; inTeardown?: string } = {}) {
  const counts = new Int32Array(new SharedArrayBuffer(8))
  return { counts, options: { module, workerData: { counts, ...data } } }
}

describe('setup', () => {
  caseTest('runs once per thread before its first task, teardown once at its end', async ({ closingPool }) => {
    const { counts, options } = hooks({ inSetup: 'slow', inTeardown: 'slow' })
    const three = closingPool({ ...options, workers: 3 })
    await within(SECOND_MS, three.ready())
    expect([...counts]).toEqual([3, 0])
    expect(await settledWithin(SECOND_MS, [three.run('plus', 1), three.run('nap', 20)])).toEqual([2, 20])
    await within(SECOND_MS, three.close())
    expect([...counts]).toEqual([3, 3])
  })

  caseTest('and teardown run for a resized and for a recycled thread', async ({ closingPool }) => {
    const { counts, options } = hooks()
    const two = closingPool({ ...options, workers: 2 })
    await two.ready()
    const nap = two.run('nap', 50)
    two.resize(1)
    expect(await nap).toBe(50)
    two.recycle()
    expect(await within(SECOND_MS, two.run('nap', 300))).toBe(300)
    await within(SECOND_MS, two.close())
    expect(counts[0]).toBe(counts[1])
    expect(counts[0]).toBeGreaterThanOrEqual(3)
  })

  for (const inSetup of ['throw', 'throwLater', 'exit']) {
    caseTest(`that fails rejects those who wait, each time, and hangs nobody: ${inSetup}`, async ({ brokenPool }) => {
      const one = brokenPool(hooks({ inSetup }).options)
      const ready = errorOf(SECOND_MS, one.ready())
      const calls = settledWithin(SECOND_MS, [one.run('plus', 1), one.run('plus', 2)])
      for (const outcome of [await ready, ...(await calls)])
        expect(outcome).toMatchObject({ code: 'EVENKEEL_MODULE_LOAD' })
      const error = await errorOf(SECOND_MS, one.run('plus', 3))
      expect(error.message).toMatch(inSetup === 'exit' ? /exit code 3/ : /from the hook/)
      await within(SECOND_MS, one.close())
    })
  }

  for (const inSetup of ['hang', 'block']) {
    caseTest(`that never ends holds up neither limits nor aborts nor a close: ${inSetup}`, async ({ closingPool }) => {
      const one = closingPool(hooks({ inSetup }).options)
      const stop = new AbortController()
      const limits = [{ queueTimeoutMs: 80 }, { deadlineMs: 80 }, { signal: stop.signal }]
      const calls = settledWithin(
        SECOND_MS,
        limits.map((limit) => one.run('plus', 1, limit)),
      )
      stop.abort()
      const codes = ['EVENKEEL_QUEUE_TIMEOUT', 'EVENKEEL_DEADLINE', 'EVENKEEL_ABORTED']
      for (const [i, outcome] of (await calls).entries()) expect(outcome).toMatchObject({ code: codes[i] })
      const left = errorOf(SECOND_MS, one.run('plus', 1))
      await within(SECOND_MS, one.close({ timeoutMs: 200 }))
      expect(await left).toMatchObject({ code: 'EVENKEEL_CLOSED' })
    })
  }
})

describe('teardown', () => {
  for (const inTeardown of ['throw', 'throwLater', 'exit']) {
    caseTest(`that fails does not fail the close: ${inTeardown}`, async ({ closingPool }) => {
      const two = closingPool({ ...hooks({ inTeardown }).options, workers: 2 })
      const errors: unknown[] = []
      two.on('error', (error) => errors.push(error))
      expect(await two.run('plus', 1)).toBe(2)
      await within(SECOND_MS, two.close())
      if (inTeardown !== 'exit') expect(errors[0]).toMatchObject({ message: 'from the hook' })
    })

    caseTest(`that fails without a listener harms nobody: ${inTeardown}`, async ({ closingPool }) => {
      const one = closingPool(hooks({ inTeardown }).options)
      expect(await one.run('plus', 1)).toBe(2)
      await within(SECOND_MS, one.close())
    })
  }

  for (const inTeardown of ['hang', 'block']) {
    caseTest(`that never ends is cut off by the close's limit: ${inTeardown}`, async ({ closingPool }) => {
      const one = closingPool(hooks({ inTeardown }).options)
      expect(await one.run('plus', 1)).toBe(2)
      await within(SECOND_MS, one.close({ timeoutMs: 200 }))
    })
  }

  caseTest('is not waited for by force', async ({ closingPool }) => {
    const one = closingPool(hooks({ inTeardown: 'hang' }).options)
    expect(await one.run('plus', 1)).toBe(2)
    await within(SECOND_MS, one.close({ force: true }))
  })

  caseTest(
    'of a thread that crashed is not owed, and its successor has a setup of its own',
    async ({ closingPool }) => {
      const { counts, options } = hooks()
      const one = closingPool(options)
      expect(await errorOf(SECOND_MS, one.run('exit', 1))).toMatchObject({ exitCode: 1 })
      expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
      await within(SECOND_MS, one.close())
      expect([...counts]).toEqual([2, 1])
    },
  )
})
