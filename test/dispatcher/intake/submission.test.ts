import { afterEach, describe, expect, test } from 'vitest'
import { Closing } from '../../../src/dispatcher/closing.js'
import { payloadBytes, Submission } from '../../../src/dispatcher/intake/submission.js'
import { type CallDefaults, NO_OPTIONS } from '../../../src/dispatcher/options/run-options.js'
import { closedError } from '../../../src/dispatcher/settling/losses.js'
import { FakePool } from '../../support/fake-pool.js'

let pool: FakePool
afterEach(() => pool.dispose())

function submissionOf(defaults?: CallDefaults): { submission: Submission; closing: Closing } {
  pool = FakePool.loaded({ workers: 1, defaults })
  const closing = new Closing(pool.core, pool.clock)
  const { names, ledger, gates, arrivals } = pool.core
  const parts = { names, ledger, gates, arrivals, clock: pool.clock, closing: closing.signal }
  return { submission: new Submission({ ...parts, defaults: pool.options.defaults }), closing }
}

test('a task counts from its own call, also where its caller worked since the last one, and keeps the order of the calls', async () => {
  const { submission } = submissionOf()
  const tasks: number[][] = []
  const note = ({ submittedMs, sequence }: { submittedMs: number; sequence: number }) =>
    tasks.push([submittedMs, sequence])
  const first = submission.start('work', 1, {}, note)
  pool.clock.advance(1)
  const second = submission.start('work', 2, {}, note)
  await undefined
  const third = submission.start('work', 3, {}, note)
  expect(tasks).toEqual([
    [1_000, 0],
    [1_001, 1],
    [1_001, 2],
  ])
  pool.runAll()
  expect(await Promise.all([first, second, third])).toEqual([1, 2, 3])
})

test('whatever is refused is a rejection and counted, shared or not', async () => {
  const { submission, closing } = submissionOf()
  await expect(submission.run(5, 1, undefined)).rejects.toMatchObject({ option: 'name' })
  await expect(submission.run(5, 1, { share: 'a' })).rejects.toMatchObject({ option: 'name' })
  await expect(submission.run('work', 1, { share: 5 } as never)).rejects.toMatchObject({ option: 'share' })
  void closing.close(true, 0)
  await expect(submission.run('work', 1, undefined)).rejects.toMatchObject({ code: closedError().code })
  await expect(submission.run('work', 1, { share: 'a' })).rejects.toMatchObject({ code: 'EVENKEEL_CLOSED' })
  await expect(submission.start('work', 1, {})).rejects.toMatchObject({ code: 'EVENKEEL_CLOSED' })
  expect(pool.core.ledger.rejected).toBe(6)
})

test('a refused call counts under its name, where that is one of the module', async () => {
  const { submission } = submissionOf()
  await expect(submission.run('work', 1, { priority: 0.5 })).rejects.toMatchObject({ option: 'priority' })
  await expect(submission.run('typo', 1, { priority: 0.5 })).rejects.toMatchObject({ option: 'priority' })
  await expect(submission.run({}, 1, undefined)).rejects.toMatchObject({ option: 'name' })
  const counts = pool.core.names.counts().map(({ task, submitted, outcomes }) => [task, submitted, outcomes.rejected])
  expect(counts).toEqual([
    ['work', 1, 1],
    [undefined, 2, 2],
  ])
})

test('calls without options share the defaults of the pool, and are as cheap as before where there are none', () => {
  const accepted: unknown[] = []
  const optionsOf = (defaults?: CallDefaults) => {
    const { submission } = submissionOf(defaults)
    const { arrivals } = pool.core
    const accept = arrivals.accept.bind(arrivals)
    arrivals.accept = (task) => {
      accepted.push(task.options)
      accept(task)
    }
    for (const options of [undefined, undefined, { priority: 1 }]) void submission.run('work', 1, options)
    return accepted.splice(0)
  }
  expect(optionsOf().slice(0, 2)).toEqual([NO_OPTIONS, NO_OPTIONS])
  expect(optionsOf({})[0]).toBe(NO_OPTIONS)
  pool.dispose()
  const [first, second, third] = optionsOf({ deadlineMs: 50, priority: 4 })
  expect(first).toBe(second)
  expect([first, third]).toEqual([
    { deadlineMs: 50, priority: 4 },
    { deadlineMs: 50, priority: 1 },
  ])
})

describe('the size of a payload', () => {
  describe('binary bytes of a payload', () => {
    test.each([
      ['a number', 5, 0],
      ['a long string', 'x'.repeat(1_000), 0],
      ['nothing', undefined, 0],
      ['null', null, 0],
      ['a buffer', new ArrayBuffer(10), 10],
      ['a view on part of a buffer', new Uint8Array(new ArrayBuffer(100), 10, 20), 20],
      ['a DataView', new DataView(new ArrayBuffer(8)), 8],
      ['an empty view', new Uint8Array(0), 0],
      ['an object with two of them', { a: new ArrayBuffer(3), b: new Float64Array(2), c: 'text' }, 19],
      ['an array of them', [new ArrayBuffer(1), new ArrayBuffer(2)], 3],
      ['one two levels down, which is not looked for', { a: { b: new ArrayBuffer(9) } }, 0],
    ])('%s', (_what, payload, bytes) => {
      expect(payloadBytes(payload)).toBe(bytes)
    })

    test('shared memory counts nothing, for it is not copied', () => {
      expect(payloadBytes(new SharedArrayBuffer(64))).toBe(0)
      expect(payloadBytes(new Int32Array(new SharedArrayBuffer(64)))).toBe(0)
      expect(payloadBytes({ shared: new Int32Array(new SharedArrayBuffer(64)), own: new ArrayBuffer(1) })).toBe(1)
    })

    test('a getter or a Proxy that throws is left to the clone', () => {
      const bad = {
        get boom() {
          throw new Error('boom')
        },
      }
      const proxy = new Proxy(
        {},
        {
          ownKeys() {
            throw new Error('boom')
          },
        },
      )
      expect([payloadBytes(bad), payloadBytes(proxy)]).toEqual([0, 0])
    })

    test('a typed array is not walked element by element, and a large object only in part', () => {
      let reads = 0
      const large: Record<string, unknown> = {}
      for (let index = 0; index < 1_000; index++) {
        Object.defineProperty(large, `p${index}`, {
          enumerable: true,
          get: () => {
            reads++
            return 0
          },
        })
      }
      payloadBytes(large)
      expect(reads).toBeLessThan(100)
    })

    test('of an array only the first elements are looked at, and its keys are never listed', () => {
      let listed = 0
      const watched = new Proxy([new ArrayBuffer(5), ...new Array(100_000).fill(0)], {
        ownKeys(target) {
          listed++
          return Reflect.ownKeys(target)
        },
      })
      expect([payloadBytes(watched), listed]).toEqual([5, 0])
      expect(payloadBytes(Object.assign(new Array(2), { 1: new ArrayBuffer(7) }))).toBe(7)
    })

    test('a look at a million elements costs next to nothing of their clone', () => {
      const array = Array.from({ length: 1_000_000 }, (_, index) => index)
      const cost = (work: () => unknown) => {
        const beganMs = performance.now()
        work()
        return performance.now() - beganMs
      }
      const looks = Array.from({ length: 9 }, () => cost(() => payloadBytes(array))).sort((a, b) => a - b)
      expect(looks[4]!).toBeLessThan(cost(() => structuredClone(array)) / 20)
    })
  })
})
