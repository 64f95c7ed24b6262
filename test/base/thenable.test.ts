import { expect, test } from 'vitest'
import { isThenable } from '../../src/base/thenable.js'

const withThen = (target: object, then: PropertyDescriptor) => Object.defineProperty(target, 'then', then)

test('an object or function with a then is waited for, and nothing else', () => {
  const then = { value: () => undefined }
  expect([Promise.resolve(), withThen({}, then), withThen(() => 1, then)].map(isThenable)).toEqual([true, true, true])
  expect([undefined, null, 1, 'text', {}, withThen({}, { value: 1 }), () => 1].some(isThenable)).toBe(false)
})

test('what a getter of then throws is thrown', () => {
  const hostile = withThen(
    {},
    {
      get() {
        throw new RangeError('no')
      },
    },
  )
  expect(() => isThenable(hostile)).toThrow(RangeError)
})
