/** Code of the caller's own that the pool calls: it may throw, abort, submit, resize, pause and close. */

import { describe, expect } from 'vitest'
import type { Dispatcher, LoadView, SelectionStrategy } from '../../src/index.js'
import { caseTest } from '../support/case-host.js'
import { errorOf, fixtureUrl, reasonOf, settledWithin, within } from '../support/outcome.js'

const LIMIT_MS = 20_000
const range = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('idle', () => {
  caseTest('comes after the handlers of every result, however many promises lie between', async ({ pool: open }) => {
    const pool = open({ workers: 2 })
    const seen: unknown[] = []
    const handle = async (call: Promise<unknown>) => {
      const value = await call.catch((error: Error) => error.message)
      for (let depth = 0; depth < 10; depth++) await undefined
      seen.push(value)
    }
    for (let round = 0; round < 20; round++) {
      for (let n = 0; n < 100; n++) void handle(n % 3 === 0 ? pool.run('fail', 'no') : pool.run('plus', n))
      await within(LIMIT_MS, pool.idle())
      expect(seen.splice(0)).toHaveLength(100)
    }
  })

  caseTest('waits for what such a handler starts', async ({ pool: open }) => {
    const pool = open()
    let last: unknown
    const chain = async (left: number): Promise<void> => {
      last = await pool.run('plus', left)
      if (left > 0) await chain(left - 1)
    }
    void chain(20)
    await within(LIMIT_MS, pool.idle())
    expect(last).toBe(1)
    await within(LIMIT_MS, pool.idle())
  })

  caseTest('holds for shared and retried runs, and for loops', async ({ pool: open }) => {
    const pool = open({ workers: 2 })
    const seen: string[] = []
    for (let n = 0; n < 10; n++) {
      const options = n % 2 === 0 ? { share: 'one' } : { retries: { times: 1, on: 'any' as const, backoffMs: 1 } }
      void pool.run(n % 2 === 0 ? 'nap' : 'fail', 5, options).then(
        () => seen.push('shared'),
        () => seen.push('retried'),
      )
    }
    void (async () => {
      for await (const _ of pool.map('plus', range(50), { concurrency: 3 })) seen.push('mapped')
    })()
    await within(LIMIT_MS, pool.idle())
    expect(seen).toHaveLength(60)
  })

  caseTest('close resolves after the handlers too, forced or not', async ({ closingPool }) => {
    for (const force of [false, true]) {
      for (const workers of [1, { min: 0, max: 1 }]) {
        const pool = closingPool({ workers })
        let handled = 0
        const handle = async (call: Promise<unknown>) => {
          await call.catch(() => {})
          for (let depth = 0; depth < 10; depth++) await undefined
          handled++
        }
        for (let n = 0; n < 20; n++) void handle(pool.run('plus', n))
        await within(LIMIT_MS, pool.close({ force }))
        expect(handled).toBe(20)
      }
    }
  })
})

describe('onProgress', () => {
  const progress = { module: fixtureUrl('progress.mjs') }
  const boom = new RangeError('boom')
  const throwing = {
    'at once': () => {
      throw boom
    },
    later: () => Promise.reject(boom),
  }

  for (const [when, onProgress] of Object.entries(throwing)) {
    for (const task of ['steps', 'stepsIo', 'stepsAtOnce']) {
      caseTest(`that throws ${when} is what its task rejects with, alone: ${task}`, async ({ pool: open }) => {
        const pool = open(progress)
        const call = reasonOf(LIMIT_MS, pool.run(task, 5, { onProgress }))
        const other = pool.run('plus', 1)
        expect(await call).toBe(boom)
        expect(await within(LIMIT_MS, other)).toBe(2)
      })
    }
  }

  caseTest('may abort, submit, resize, pause and close', async ({ closingPool }) => {
    const uses: ((pool: Dispatcher, stop: AbortController) => unknown)[] = [
      (_pool, stop) => stop.abort(),
      (pool) => pool.run('plus', 1),
      (pool) => pool.resize(1),
      (pool) => pool.recycle(),
      (pool) => {
        pool.pause()
        setTimeout(() => pool.resume(), 5)
      },
      (pool) => pool.close(),
      (pool) => pool.close({ force: true }),
    ]
    for (const use of uses) {
      const pool = closingPool({ ...progress, workers: 2 })
      const stop = new AbortController()
      const onProgress = () => void use(pool, stop)
      const calls = range(6).map(() => pool.run('steps', 3, { onProgress, signal: stop.signal }))
      for (const end of await settledWithin(LIMIT_MS, calls)) {
        if (end !== 'done') expect(end).toMatchObject({ code: expect.stringMatching(/ABORTED|CLOSED|LOST|EXIT/) })
      }
      await within(LIMIT_MS, pool.close())
    }
  })
})

describe('a strategy of one’s own', () => {
  const firstOf = (view: LoadView): number => {
    for (let index = 0; index < view.size; index++) if (view.isCandidate(index)) return index
    return -1
  }
  const named = (pick: SelectionStrategy['pick']): SelectionStrategy => ({ name: 'own', pick })

  for (const mode of ['central', 'push'] as const) {
    caseTest(`may end the task that it places: ${mode}`, async ({ pool: open }) => {
      let use: () => unknown = () => {}
      const strategy = named((view) => {
        use()
        return firstOf(view)
      })
      const pool = open({ workers: 3, mode, strategy })
      await pool.ready()
      const stop = new AbortController()
      for (const end of [() => stop.abort('why'), () => pool.cancel('mine', 'why')]) {
        use = end
        const { signal } = stop.signal.aborted ? new AbortController() : stop
        const calls = range(5).map(() => pool.run('plus', 1, { signal, tag: 'mine' }))
        for (const error of await settledWithin(LIMIT_MS, calls)) {
          expect(error).toMatchObject({ code: 'EVENKEEL_ABORTED', cause: 'why' })
        }
        use = () => {}
      }
    })

    caseTest(`may use the pool while it is asked: ${mode}`, async ({ pool: open }) => {
      let pool: Dispatcher
      let depth = 0
      const inner: Promise<unknown>[] = []
      let use: (() => unknown) | undefined
      const strategy = named((view) => {
        if (use !== undefined && depth++ < 3) inner.push(Promise.resolve(use()))
        return firstOf(view)
      })
      pool = open({ workers: 3, mode, strategy })
      await pool.ready()
      const uses = [
        () => pool.run('plus', 1),
        () => pool.resize(1),
        () => pool.resize(3),
        () => pool.setPriority('mine', 5),
        () => pool.recycle(),
        () => {
          pool.pause()
          setTimeout(() => pool.resume(), 10)
        },
      ]
      for (const each of uses) {
        depth = 0
        use = each
        const calls = range(200).map((n) => pool.run('plus', n, { tag: 'mine' }))
        expect(await settledWithin(LIMIT_MS, calls)).toEqual(range(200).map((n) => n + 1))
        await within(LIMIT_MS, Promise.all(inner))
      }
    })
  }

  caseTest('may close the pool while it is asked', async ({ closingPool }) => {
    for (const force of [false, true]) {
      let pool: Dispatcher
      let isArmed = false
      const strategy = named((view) => {
        if (isArmed) void pool.close({ force })
        return firstOf(view)
      })
      pool = closingPool({ workers: 2, strategy })
      await pool.ready()
      isArmed = true
      const calls = range(20).map((n) => pool.run('plus', n))
      for (const end of await settledWithin(LIMIT_MS, calls)) {
        if (typeof end !== 'number') expect(end).toMatchObject({ code: 'EVENKEEL_CLOSED' })
      }
      await within(LIMIT_MS, pool.close())
    }
  })

  for (const answer of [Number.NaN, 1.5, undefined, null, '0', -2, 99, {}] as unknown[]) {
    caseTest(`that only ever answers ${String(answer)} is reported once`, async ({ pool: open }) => {
      const errors: unknown[] = []
      const pool = open({ workers: 3, strategy: named(() => answer as number) })
      pool.on('error', (error) => errors.push(error))
      await pool.ready()
      const calls = range(50).map((n) => pool.run('plus', n))
      expect(await settledWithin(LIMIT_MS, calls)).toEqual(range(50).map((n) => n + 1))
      expect(errors).toEqual([expect.objectContaining({ code: 'EVENKEEL_STRATEGY' })])
    })
  }

  caseTest('that never chooses anybody is reported, and its tasks wait', async ({ pool: open }) => {
    let isOpen = false
    const pool = open({ workers: 2, strategy: named((view) => (isOpen ? firstOf(view) : -1)) })
    const told = new Promise((resolve) => pool.once('error', resolve))
    await pool.ready()
    const call = pool.run('plus', 1)
    expect(await within(LIMIT_MS, told)).toMatchObject({ code: 'EVENKEEL_STRATEGY' })
    expect(pool.snapshot().queued).toBe(1)
    isOpen = true
    expect(await within(LIMIT_MS, call)).toBe(2)
  })

  caseTest('that throws, or whose membershipChanged does, is reported once', async ({ pool: open }) => {
    const errors: unknown[] = []
    const fault = () => {
      throw new Error('no idea')
    }
    const pool = open({ workers: 3, strategy: { name: 'own', pick: fault, membershipChanged: fault } })
    pool.on('error', (error) => errors.push(error))
    const calls = range(50).map((n) => pool.run('plus', n))
    expect(await settledWithin(LIMIT_MS, calls)).toEqual(range(50).map((n) => n + 1))
    expect(errors).toEqual([new Error('no idea')])
  })
})

caseTest('a random source that fails loses no retry', async ({ pool: open }) => {
  for (const random of [() => Number.NaN, (): number => expect.unreachable('random')]) {
    const errors: unknown[] = []
    const pool = open({ random })
    pool.on('error', (error) => errors.push(error))
    const retries = { times: 2, on: 'any' as const, backoffMs: 1 }
    expect(await errorOf(LIMIT_MS, pool.run('fail', 'still', { retries }))).toMatchObject({ message: 'still' })
    expect(errors).toHaveLength(1)
  }
})

describe('listeners', () => {
  caseTest('what one throws, or rejects with, goes to those of `error`', async ({ pool: open }) => {
    const pool = open()
    const errors: unknown[] = []
    pool.on('error', (error) => errors.push(error))
    pool.once('restart', () => {
      throw 'sync'
    })
    pool.once('exit', async () => {
      throw 'async'
    })
    await errorOf(LIMIT_MS, pool.run('exit', 3))
    expect(await within(LIMIT_MS, pool.run('plus', 1))).toBe(2)
    await new Promise(setImmediate)
    expect(errors.toSorted()).toEqual(['async', 'sync'])
  })

  caseTest('find the state complete, and may do anything with it', async ({ closingPool }) => {
    for (const name of ['exit', 'restart', 'drain', 'error'] as const) {
      const pool = closingPool({ workers: 2, maxQueue: 4 })
      const stop = new AbortController()
      await pool.ready()
      let seen = 0
      const more: Promise<unknown>[] = []
      pool.on(name, () => {
        if (seen++ > 0) return
        stop.abort('listener')
        more.push(pool.run('plus', 1).catch(() => {}))
        pool.resize(1)
        pool.resize(2)
        void pool.close()
      })
      const naps = range(10).map(() => pool.run('nap', 5, { signal: stop.signal }))
      const fatal = [pool.run('afterThrow', 1), pool.run('exit', 1)]
      await settledWithin(LIMIT_MS, [...naps, ...fatal])
      await new Promise((resolve) => setTimeout(resolve, 30))
      await settledWithin(LIMIT_MS, more)
      await within(LIMIT_MS, pool.close())
    }
  })
})

describe('a signal of one’s own making', () => {
  class OwnSignal extends EventTarget {
    aborted = false
    reason: unknown = 'why'
  }
  const asSignal = (signal: object) => signal as AbortSignal

  caseTest('may fire while it is listened to, or refuse to be let go', async ({ pool: open }) => {
    const pool = open()
    const eager = new OwnSignal()
    eager.addEventListener = (_type: string, listener: unknown) => {
      eager.aborted = true
      ;(listener as () => void)()
    }
    expect(await errorOf(LIMIT_MS, pool.run('plus', 1, { signal: asSignal(eager) }))).toMatchObject({ cause: 'why' })
    const shared = new OwnSignal()
    shared.addEventListener = eager.addEventListener
    const call = pool.run('plus', 1, { signal: asSignal(shared), share: 'one' })
    expect(await errorOf(LIMIT_MS, call)).toMatchObject({ cause: 'why' })
    const sticky = new OwnSignal()
    sticky.removeEventListener = () => {
      throw new Error('sticky')
    }
    expect(await within(LIMIT_MS, pool.run('plus', 1, { signal: asSignal(sticky) }))).toBe(2)
    const silent = new OwnSignal()
    Object.defineProperty(silent, 'reason', {
      get() {
        throw new Error('no reason')
      },
    })
    const nap = pool.run('nap', 60_000, { signal: asSignal(silent) })
    silent.aborted = true
    silent.dispatchEvent(new Event('abort'))
    expect(await errorOf(LIMIT_MS, nap)).toMatchObject({ cause: { message: 'no reason' } })
  })

  caseTest('or any other draws no warning from many loops and shared runs on it', async ({ pool: open }) => {
    const pool = open({ workers: 2 })
    const { signal } = new AbortController()
    const loops = range(30).map(async (n) => {
      if (n % 3 === 0) for await (const _ of pool.map('plus', range(5), { signal })) await undefined
      else if (n % 3 === 1) await pool.run('nap', 5, { signal, share: `key ${n}` })
      else await pool.run('nap', 5, { signal })
    })
    await within(LIMIT_MS, Promise.all(loops))
  })
})
