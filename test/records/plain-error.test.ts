import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { briefError, errorChars, plainError, thrownText } from '../../src/records/plain-error.js'

test('an error keeps its name, message, code, stack, causes and listed errors', () => {
  class OwnError extends Error {}
  const cause = new TypeError('inner', { cause: 'the root' })
  const thrown = Object.assign(new AggregateError([new OwnError('one'), 2], 'outer', { cause }), {
    code: 'E_OUT',
    retryable: false,
  })
  const told = plainError(thrown)
  expect(told).toMatchObject({
    name: 'AggregateError',
    message: 'outer',
    code: 'E_OUT',
    retryable: false,
    stack: expect.stringContaining('plain-error.test'),
    cause: { name: 'TypeError', message: 'inner', cause: { name: 'Error', message: 'the root' } },
    errors: [
      { name: 'OwnError', message: 'one' },
      { name: 'Error', message: '2' },
    ],
  })
  expect(JSON.parse(JSON.stringify(told))).toEqual(told)
  expect(briefError(told)).toEqual({ name: 'AggregateError', message: 'outer', code: 'E_OUT' })
  expect(errorChars(told)).toBeGreaterThan(told.stack!.length)
})

test('errors of another realm and objects with a message are errors', () => {
  expect(plainError(runInNewContext('new RangeError("far")'))).toMatchObject({ name: 'RangeError', message: 'far' })
  expect(plainError({ message: 'plain', code: 7 })).toEqual({ name: 'Error', message: 'plain', code: 7 })
})

test('anything that is thrown has a message', () => {
  const stubborn = {
    get message() {
      throw new Error('no')
    },
    get code() {
      throw new Error('no')
    },
  }
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  for (const thrown of [null, undefined, 0, 'text', Symbol('s'), stubborn, proxy, () => 1, { a: 1 }]) {
    expect(plainError(thrown).message).toMatch(/^the task threw /)
  }
  expect(plainError(new RangeError())).toMatchObject({ message: 'RangeError without a message' })
  expect(plainError(Object.assign(new Error(' '), { code: 'E_X' })).message).toBe('Error [E_X] without a message')
  const strange = Object.assign(new Error('m'), { name: 5, message: { a: 1 }, stack: 7, errors: 'none' })
  expect(plainError(strange)).toEqual({ name: 'Error', message: '{ a: 1 }' })
})

test('circles end, and an error that is named twice is told of twice', () => {
  const circle: Error & { errors?: unknown } = new Error('round')
  circle.cause = circle
  circle.errors = [circle]
  expect(plainError(circle)).toMatchObject({
    cause: { message: expect.stringContaining('circle') },
    errors: [{ message: expect.stringContaining('circle') }],
  })
  const shared = new Error('shared')
  expect(plainError(new AggregateError([shared, shared], 'a', { cause: shared }))).toMatchObject({
    cause: { message: 'shared' },
    errors: [{ message: 'shared' }, { message: 'shared' }],
  })
})

test('depth, number and length have bounds', () => {
  let deep = new Error('bottom')
  for (let level = 0; level < 100; level++) deep = new Error(`level ${level}`, { cause: deep })
  let levels = 0
  for (let at: ReturnType<typeof plainError> | undefined = plainError(deep); at !== undefined; at = at.cause) levels++
  expect(levels).toBe(11)
  const many = plainError(new AggregateError(Array.from({ length: 5000 }, (_, i) => new Error(`e${i}`))))
  expect(many.errors).toHaveLength(49)
  expect(many.errors!.at(-1)!.message).toBe('left out: 4952 more errors')
  const huge = new AggregateError(
    Array.from({ length: 40 }, () => new Error('x'.repeat(1e6))),
    'y'.repeat(1e6),
  )
  const told = plainError(huge)
  expect(errorChars(told)).toBeLessThan(60_000)
  expect(told.message).toMatch(/^y{8000}… \(992000 more characters\)$/)
  expect(JSON.stringify(plainError(new Error('🙂'.repeat(8000))).message)).not.toContain('\\ud83d')
})

test('every thrown value has a text, even one that refuses to be text', () => {
  const values = [null, undefined, 'no', 5, Symbol('s'), { a: 1 }, Object.create(null)]
  expect(values.map(thrownText)).toEqual([
    'the task threw null: null',
    'the task threw undefined: undefined',
    'the task threw string: no',
    'the task threw number: 5',
    'the task threw symbol: Symbol(s)',
    'the task threw object: { a: 1 }',
    'the task threw object: [Object: null prototype] {}',
  ])
})
