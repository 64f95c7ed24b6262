/** Progress, and callbacks of the host's own that misbehave. */

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { LoadView } from '../../../src/index.js'
import { caseTest, SLACK } from '../../support/case-host.js'
import { runHost } from '../../support/host-script.js'
import { errorOf, fixtureUrl, settledWithin, within } from '../../support/outcome.js'

const SECOND_MS = 1_000 * SLACK
const progress = { module: fixtureUrl('progress.mjs') }

describe('progress', () => {
  for (const task of ['steps', 'stepsIo', 'stepsAtOnce']) {
    caseTest(`arrives in order, all of it before the result, each at its own task: ${task}`, async ({ pool }) => {
      const two = pool({ ...progress, workers: 2 })
      const calls = [3, 5, 0].map(async (count) => {
        const seen: unknown[] = []
        const result = await two.run(task, count, { onProgress: (value) => seen.push(value) })
        return { result, seen }
      })
      expect(await settledWithin(SECOND_MS, calls)).toEqual(
        [3, 5, 0].map((count) => ({ result: 'done', seen: Array.from({ length: count }, (_, i) => i) })),
      )
    })
  }

  caseTest('that nobody listens to is dropped', async ({ pool }) => {
    expect(await within(SECOND_MS, pool(progress).run('stepsAtOnce', 10_000))).toBe('done')
  })

  caseTest('that cannot be cloned fails its task alone', async ({ pool }) => {
    const one = pool(progress)
    const error = errorOf(SECOND_MS, one.run('progressUncloneable', 0, { onProgress: () => {} }))
    expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
    expect(await error).toMatchObject({ name: 'DataCloneError' })
  })

  caseTest('after the answer is dropped', async ({ pool }) => {
    const seen: unknown[] = []
    const one = pool(progress)
    expect(await within(SECOND_MS, one.run('progressLate', 0, { onProgress: (value) => seen.push(value) }))).toBe(
      'done',
    )
    await sleep(60)
    expect(seen).toEqual([])
  })

  caseTest('of a task that ends its thread still arrives', async ({ pool }) => {
    const seen: unknown[] = []
    const call = pool(progress).run('progressThenExit', 0, { onProgress: (value) => seen.push(value) })
    expect(await errorOf(SECOND_MS, call)).toMatchObject({ code: 'EVENKEEL_WORKER_EXIT', exitCode: 3 })
    expect(seen).toEqual(['last words'])
  })
})

describe('a callback of the host that throws', () => {
  for (const what of ['exit', 'restart', 'error', 'stall', 'recover', 'drain', 'onProgress']) {
    test.concurrent(`disturbs nothing else, and the pool goes on: ${what}`, async () => {
      const { stdout, stderr } = await runHost(fixtureUrl('hostile-host.mjs'), { args: [what] })
      expect(stdout, stderr).not.toBe('')
      const { outcomes, next, uncaught } = JSON.parse(stdout)
      expect(next).toBe(2)
      // Its task rejects with it; what a listener throws is an uncaught exception while nobody listens to `error`.
      expect(uncaught).toEqual(what === 'onProgress' ? [] : [`from ${what}`])
      if (what === 'onProgress') expect(outcomes).toEqual(['from onProgress', 'from onProgress'])
      else expect(outcomes.slice(-2)).toEqual(['ok', 'EVENKEEL_WORKER_EXIT'])
    })
  }
})

describe('a strategy of the host’s own', () => {
  const anyCandidate = (view: LoadView): number => {
    for (let i = 0; i < view.size; i++) if (view.isCandidate(i)) return i
    return -1
  }

  caseTest('that throws, now or always, loses no task', async ({ pool }) => {
    let calls = 0
    const pick = (view: LoadView) => {
      if (calls++ % 3 === 0) throw new Error('no idea')
      return anyCandidate(view)
    }
    const three = pool({ workers: 3, strategy: { name: 'own', pick } })
    await three.ready()
    const answers = Array.from({ length: 100 }, (_, i) => three.run('plus', i))
    for (const [i, outcome] of (await settledWithin(SECOND_MS, answers)).entries()) {
      if (outcome !== i + 1) expect(outcome).toMatchObject({ message: 'no idea' })
    }
  })

  caseTest('that answers nonsense now and then only delays', async ({ pool }) => {
    let calls = 0
    const nonsense: unknown[] = [-1, 99, Number.NaN, 1.5, undefined, null, 'x']
    const pick = (view: LoadView) => (calls++ % 2 ? anyCandidate(view) : (nonsense[calls % nonsense.length] as number))
    const three = pool({ workers: 3, strategy: { name: 'own', pick } })
    const answers = Array.from({ length: 100 }, (_, i) => three.run('nap', i % 5))
    expect(await settledWithin(SECOND_MS * 2, answers)).toEqual(answers.map((_, i) => i % 5))
  })

  caseTest('that is asked again when it wanted nobody', async ({ pool }) => {
    let open = false
    const two = pool({
      workers: 2,
      strategy: { name: 'own', pick: (view: LoadView) => (open ? anyCandidate(view) : -1) },
    })
    await two.ready()
    const answer = two.run('plus', 1)
    await sleep(60)
    expect(two.snapshot().queued).toBe(1)
    open = true
    expect(await within(SECOND_MS, answer)).toBe(2)
  })
})

describe('a signal that is not the platform’s', () => {
  /** As small as a polyfill gets: no `once`, no event object. */
  class PlainSignal {
    aborted = false
    reason: unknown
    readonly listeners = new Set<() => void>()
    addEventListener(_type: string, listener: () => void) {
      this.listeners.add(listener)
    }
    removeEventListener(_type: string, listener: () => void) {
      this.listeners.delete(listener)
    }
    abort(reason: unknown) {
      this.aborted = true
      this.reason = reason
      for (const listener of [...this.listeners]) listener()
    }
  }

  caseTest('aborts like any other, and keeps no listener', async ({ pool }) => {
    const one = pool()
    const signal = new PlainSignal()
    const error = errorOf(SECOND_MS, one.run('napUntilAborted', 20_000, { signal: signal as unknown as AbortSignal }))
    await sleep(30)
    signal.abort('why')
    expect(await error).toMatchObject({ code: 'EVENKEEL_ABORTED', cause: 'why' })
    expect(signal.listeners.size).toBe(0)
  })

  caseTest('and refuses to be listened to fails its call, and leaves nothing behind', async ({ closingPool }) => {
    const one = closingPool()
    const signal = new PlainSignal()
    signal.addEventListener = () => {
      throw new Error('not listening')
    }
    const error = await errorOf(SECOND_MS, one.run('plus', 1, { signal: signal as unknown as AbortSignal }))
    expect(error.message).toBe('not listening')
    expect(one.snapshot()).toMatchObject({ queued: 0, running: 0 })
    await within(SECOND_MS, one.close())
  })
})

caseTest('an argument whose getter uses the pool, or ends its own call, does no harm', async ({ pool }) => {
  const one = pool()
  await one.ready()
  for (const busy of [false, true]) {
    const running = busy ? one.run('nap', 50) : undefined
    const inner: Promise<unknown>[] = []
    const stop = new AbortController()
    const reentrant = {
      get x() {
        inner.push(one.run('plus', 5))
        return 1
      },
    }
    const aborting = {
      get x() {
        stop.abort()
        return 1
      },
    }
    const outer = [one.run('echo', reentrant), one.run('echo', aborting, { signal: stop.signal })]
    const [echoed, aborted] = await settledWithin(SECOND_MS, outer)
    expect(echoed).toEqual({ x: 1 })
    if (aborted instanceof Error) expect(aborted).toMatchObject({ code: 'EVENKEEL_ABORTED' })
    for (const value of await settledWithin(SECOND_MS, inner)) expect(value).toBe(6)
    await running
  }
})
