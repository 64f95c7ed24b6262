import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  checkBoolean,
  checkFunction,
  checkInteger,
  checkKey,
  checkNumber,
  checkObject,
  checkOneOf,
  checkString,
  ownOptions,
  readNow,
} from '../../src/base/checks.js'
import { OptionRangeError, OptionTypeError } from '../../src/base/errors.js'

/** Values of every type that typeof tells apart, and the awkward ones of each. */
const anything: unknown[] = [undefined, null, true, 0, -0, 1.5, Number.NaN, 1n, '', 'a', Symbol('s'), {}, [], () => 1]

describe('checks of a type', () => {
  test.each([
    ['checkNumber', (value: unknown) => checkNumber('n', value, 0, 1), 'number'],
    ['checkInteger', (value: unknown) => checkInteger('n', value, 0), 'number'],
    ['checkBoolean', (value: unknown) => checkBoolean('n', value), 'boolean'],
    ['checkString', (value: unknown) => checkString('n', value), 'string'],
    ['checkFunction', (value: unknown) => checkFunction('n', value), 'function'],
    ['checkOneOf', (value: unknown) => checkOneOf('n', value, ['a']), 'string'],
  ])('%s refuses every other type as a wrong type', (_, check, type) => {
    for (const value of anything.filter((v) => typeof v !== type)) {
      expect(() => check(value)).toThrow(OptionTypeError)
    }
  })

  test.each([null, [], () => 1, 'a', 1, undefined])('checkObject refuses %o', (value) => {
    expect(() => checkObject('o', value)).toThrow(OptionTypeError)
  })

  test('each gives back what it accepts', () => {
    const object = Object.create(null)
    const call = () => 1
    expect(checkObject('o', object)).toBe(object)
    expect(checkFunction('f', call)).toBe(call)
    expect(checkBoolean('b', false)).toBe(false)
    expect(checkString('s', '')).toBe('')
    expect(checkOneOf('c', 'b', ['a', 'b'])).toBe('b')
  })
})

describe('checks of a value', () => {
  test('checkNumber accepts a number exactly when it lies in the range, bounds included', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        if (value >= -2 && value <= 3) expect(checkNumber('n', value, -2, 3)).toBe(value)
        else expect(() => checkNumber('n', value, -2, 3)).toThrow(OptionRangeError)
      }),
    )
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 0.5, 2 ** 53, 0, 5])(
    'checkInteger from 1 to 4 refuses %d',
    (value) => {
      expect(() => checkInteger('n', value, 1, 4)).toThrow(OptionRangeError)
    },
  )

  test('checkInteger without an upper bound refuses what cannot be counted exactly', () => {
    expect(checkInteger('n', Number.MAX_SAFE_INTEGER, 1)).toBe(Number.MAX_SAFE_INTEGER)
    expect(() => checkInteger('n', 2 ** 53, 1)).toThrow('n: expected an integer of at least 1, got 9007199254740992')
  })

  test('checkOneOf names the choices', () => {
    expect(() => checkOneOf('mode', 'pul', ['push', 'pull'])).toThrow("mode: expected one of push, pull, got 'pul'")
  })
})

describe('checkKey', () => {
  test('names the unknown option, dotted where it is nested, and the known ones', () => {
    expect(() => checkKey('', 'wrokers', ['workers'])).toThrow("wrokers: unknown option; did you mean 'workers'?")
    expect(() => checkKey('', 'size', ['workers'])).toThrow('size: unknown option; known are workers')
    expect(() => checkKey('workers', 'mim', ['min', 'max'])).toThrow('workers.mim: unknown option')
  })

  test('does not take an inherited name for a known one', () => {
    expect(() => checkKey('', 'constructor', ['a'])).toThrow(OptionTypeError)
    expect(() => checkKey('', 'a', ['a'])).not.toThrow()
  })
})

describe('readNow', () => {
  test('reads once, at once, and gives or throws what came of it whenever asked', () => {
    let reads = 0
    const read = readNow(() => ++reads)
    expect([reads, read(), read(), reads]).toEqual([1, 1, 1, 1])
    const failed = readNow(() => checkKey('', 'b', ['a']))
    expect(failed).toThrow(OptionTypeError)
  })
})

describe('ownOptions', () => {
  test('copies own properties, each read once, and leaves out what is undefined', () => {
    let reads = 0
    const given = Object.create({ inherited: 1 })
    Object.defineProperty(given, 'a', { enumerable: true, get: () => ++reads })
    given.b = undefined
    const own = ownOptions('', given, ['a', 'b', 'inherited'])
    expect([own.a, own.a, Object.keys(own), Object.getPrototypeOf(own)]).toEqual([1, 1, ['a'], null])
    expect(own.inherited).toBeUndefined()
  })

  test('refuses what is no object, and unknown keys', () => {
    expect(() => ownOptions('', null, [])).toThrow('options: expected an object, got null')
    expect(() => ownOptions('workers', { mim: 1 }, ['min'])).toThrow("workers.mim: unknown option; did you mean 'min'?")
  })
})
