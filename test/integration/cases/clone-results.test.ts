/** Results that cannot be sent, and whatever a task may throw: always an error with a message, never a hang. */

import { describe, expect } from 'vitest'
import { caseTest, SLACK } from '../../support/case-host.js'
import { errorOf, fixtureUrl, reasonOf, settledWithin, within } from '../../support/outcome.js'

const SECOND_MS = 1_000 * SLACK
const cloning = { module: fixtureUrl('cloning.mjs') }
const THROWERS = ['throws', 'throwsLater', 'throwsIo'] as const

describe('a result that cannot be cloned', () => {
  const kinds = [
    'function',
    'symbol',
    'weakMap',
    'stream',
    'promiseInside',
    'nested',
    'inMap',
    'proxy',
    'generator',
    'url',
    'port',
    'closedPort',
    'badList',
    'webStream',
  ]

  for (const what of kinds) {
    caseTest(`rejects with a DataCloneError, sync, async and I/O: ${what}`, async ({ pool }) => {
      const one = pool(cloning)
      const neighbours = [one.run('nap', 30), one.run('napIo', 50), one.run('echo', 'kept')]
      for (const task of ['returns', 'returnsLater', 'returnsIo']) {
        expect(await errorOf(SECOND_MS, one.run(task, what))).toMatchObject({
          name: 'DataCloneError',
          code: 'EVENKEEL_CLONE',
          task,
        })
      }
      expect(await settledWithin(SECOND_MS, neighbours)).toEqual([30, 50, 'kept'])
    })
  }

  caseTest('says where it cannot', async ({ pool }) => {
    const one = pool(cloning)
    expect((await errorOf(SECOND_MS, one.run('returns', 'nested'))).path).toBe('result.list[1].deep')
  })

  caseTest('because a getter throws or it is nested too deep rejects too', async ({ pool }) => {
    const one = pool(cloning)
    const getter = await errorOf(SECOND_MS, one.run('returns', 'getterThrows'))
    expect(getter).toMatchObject({ code: 'EVENKEEL_CLONE', path: 'result.x', cause: { message: 'from the getter' } })
    const deep = await errorOf(SECOND_MS, one.run('returns', 'deep'))
    expect(deep).toMatchObject({ code: 'EVENKEEL_CLONE', path: 'result', cause: { name: 'RangeError' } })
  })

  caseTest('in a batch of good ones fails alone', async ({ pool }) => {
    const one = pool(cloning)
    await one.run('echo', 0)
    const calls = Array.from({ length: 100 }, (_, i) =>
      i % 7 === 3 ? one.run('returns', 'function') : one.run('echo', i),
    )
    for (const [i, outcome] of (await settledWithin(SECOND_MS, calls)).entries()) {
      if (i % 7 === 3) expect(outcome).toMatchObject({ code: 'EVENKEEL_CLONE' })
      else expect(outcome).toBe(i)
    }
  })
})

/** What must be left of each thrown error. */
const ERRORS: Readonly<Record<string, object>> = {
  domException: { name: 'AbortError', message: 'm' },
  dataClone: { name: 'DataCloneError', message: 'cannot' },
  oldStyle: { name: 'OldStyle', message: 'old' },
  byPrototypeOnly: { name: 'ByPrototype', message: 'inherited' },
  custom: { name: 'Custom', message: 'custom', code: 'E_CUSTOM', details: { retryAfterMs: 5 } },
  unnamedCustom: { message: 'unnamed' },
  aggregate: { name: 'AggregateError', message: 'many' },
  caused: { message: 'outer', cause: { name: 'TypeError', message: 'inner', cause: 'root' } },
  circular: { message: 'circ' },
  circularCause: { message: 'circ' },
  withFunction: { message: 'with-fn', kept: 1 },
  withThrowingGetter: { message: 'getter' },
  frozen: { name: 'RangeError', message: 'frozen' },
  otherRealm: { name: 'TypeError', message: 'other realm' },
  stackThrows: { message: 'stackless' },
  proxied: { message: 'behind a proxy' },
  hugeMessage: {},
  deepCause: { message: 'level 4999' },
  emptyAggregate: { name: 'AggregateError' },
  messageNotText: {},
}

describe('an error that a task throws', () => {
  for (const [what, kept] of Object.entries(ERRORS)) {
    caseTest(`arrives as an Error with what it had: ${what}`, async ({ pool }) => {
      const one = pool(cloning)
      for (const task of THROWERS) {
        const reason = await reasonOf(SECOND_MS, one.run(task, what))
        expect(reason).toBeInstanceOf(Error)
        expect(reason).toMatchObject(kept)
        expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
      }
    })
  }

  caseTest('arrives with the place in the task module', async ({ pool }) => {
    const one = pool(cloning)
    for (const what of ['custom', 'withFunction', 'caused', 'aggregate']) {
      expect((await errorOf(SECOND_MS, one.run('throws', what))).stack).toContain('cloning.mjs')
    }
  })

  caseTest('arrives with every error of an AggregateError', async ({ pool }) => {
    const { errors } = await errorOf(SECOND_MS, pool(cloning).run('throws', 'aggregate'))
    expect(errors).toHaveLength(2)
    expect(errors![0]).toMatchObject({ message: 'one' })
    expect(errors![1]).toMatchObject({ name: 'TypeError', message: 'two' })
    for (const error of errors!) expect(error).toBeInstanceOf(Error)
  })

  caseTest('never arrives blank, whatever cannot be sent', async ({ pool }) => {
    const one = pool(cloning)
    for (const what of ['function', 'symbol', 'weakMap', 'stream']) await errorOf(SECOND_MS, one.run('returns', what))
    for (const what of ['domException', 'dataClone', 'oldStyle']) await errorOf(SECOND_MS, one.run('throws', what))
  })

  caseTest('without a message still says which error it is', async ({ pool }) => {
    const reason = (await reasonOf(SECOND_MS, pool(cloning).run('throws', 'blank'))) as Error
    expect(reason).toBeInstanceOf(Error)
    expect(String(reason)).not.toBe('')
  })
})

describe('a thrown value that is no error', () => {
  const values: Readonly<Record<string, unknown>> = {
    null: null,
    undefined,
    string: 's',
    number: 7,
    object: { a: 1 },
    array: [1, 2],
    false: false,
    bigint: 10n,
  }

  for (const [what, value] of Object.entries(values)) {
    caseTest(`rejects, with the value within reach: ${what}`, async ({ pool }) => {
      const one = pool(cloning)
      for (const task of THROWERS) {
        const reason = await reasonOf(SECOND_MS, one.run(task, what))
        expect([reason, (reason as Error | null | undefined)?.cause]).toContainEqual(value)
        expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
      }
    })
  }

  for (const what of ['symbol', 'function', 'revokedProxy']) {
    caseTest(`rejects with an error that describes what cannot be sent: ${what}`, async ({ pool }) => {
      const one = pool(cloning)
      for (const task of THROWERS) await errorOf(SECOND_MS, one.run(task, what))
    })
  }
})

describe('a promise that is none of the platform’s', () => {
  const resolving: Readonly<Record<string, unknown>> = {
    promise: 8,
    thenable: 5,
    lateThenable: 6,
    nestedThenable: 9,
    twice: 1,
    resolveThenThrow: 3,
    functionThenable: 4,
    inAsync: 5,
    otherRealm: 11,
  }
  const rejecting: Readonly<Record<string, string>> = {
    throwingThenable: 'from then',
    rejectingThenable: 'rejected',
    throwingThenGetter: 'from the then getter',
  }

  for (const [what, value] of Object.entries(resolving)) {
    caseTest(`is waited for: ${what}`, async ({ pool }) => {
      expect(await within(SECOND_MS, pool(cloning).run('thenable', what))).toBe(value)
    })
  }
  for (const [what, message] of Object.entries(rejecting)) {
    caseTest(`rejects: ${what}`, async ({ pool }) => {
      expect((await errorOf(SECOND_MS, pool(cloning).run('thenable', what))).message).toContain(message)
    })
  }
})
