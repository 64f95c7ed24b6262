import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EvenkeelError } from '../../src/base/errors.js'
import {
  className,
  describe as describeValue,
  ERROR_BASES,
  enumerableKeys,
  errorBase,
  errorConstructor,
  firstKeys,
  isPlainContainer,
  ownership,
  read,
  readString,
  scanContainer,
  UNREADABLE,
} from '../../src/protocol/thrown-value.js'
import '../support/seeded-properties.js'

const fail = () => {
  throw new Error('trap')
}
/** Every trap of it throws. */
const hostile = new Proxy(
  Object.assign(() => 1, { own: 1 }),
  {
    get: fail,
    has: fail,
    ownKeys: fail,
    getOwnPropertyDescriptor: fail,
    getPrototypeOf: fail,
  },
)
const revocable = Proxy.revocable({}, {})
revocable.revoke()
const revoked = revocable.proxy

describe('a hostile value', () => {
  test.each([
    ['whose traps throw', hostile],
    ['that was revoked', revoked],
  ])('%s has nothing, and is no error and no container', (_what, value) => {
    expect(read(value, 'own')).toBe(UNREADABLE)
    expect(readString(value, 'own')).toBeUndefined()
    expect(enumerableKeys(value)).toEqual([])
    expect(firstKeys(typeof value === 'function' ? value : {}, 5)).toEqual([])
    expect(ownership(value, 'own')).toBe('none')
    expect(errorBase(value)).toBeUndefined()
    expect(className(value)).toBeUndefined()
    expect(isPlainContainer(value)).toBe(false)
    expect(describeValue(value)).toMatch(/\S/)
  })

  test('that pretends to have an endless chain of prototypes is no error', () => {
    const endless: object = new Proxy({}, { getPrototypeOf: () => endless })
    expect(errorBase(endless)).toBeUndefined()
  })
})

describe('properties', () => {
  const target = {
    text: 'a',
    number: 1,
    get bad(): string {
      throw new Error('getter')
    },
  }
  Object.defineProperty(target, 'quiet', { value: 'q' })

  test('are read, and one whose getter throws is told apart from one that is missing', () => {
    expect(['text', 'number', 'quiet', 'missing', 'bad'].map((key) => read(target, key))).toEqual([
      'a',
      1,
      'q',
      undefined,
      UNREADABLE,
    ])
    expect(['text', 'number', 'missing', 'bad'].map((key) => readString(target, key))).toEqual([
      'a',
      undefined,
      undefined,
      undefined,
    ])
  })

  test('are own and shown, own and hidden, or not own, whatever their getters do', () => {
    expect(['text', 'bad', 'quiet', 'missing', 'toString'].map((key) => ownership(target, key))).toEqual([
      'enumerable',
      'enumerable',
      'hidden',
      'none',
      'none',
    ])
    expect(enumerableKeys(target)).toEqual(['text', 'number', 'bad'])
  })

  test('the first keys are those that a list of all keys begins with', () => {
    const container = fc.oneof(fc.array(fc.nat()), fc.dictionary(fc.string(), fc.nat()))
    fc.assert(
      fc.property(container, fc.nat(12), (values, most) => {
        expect(firstKeys(values, most)).toEqual(Object.keys(values).slice(0, most))
      }),
    )
  })

  test('the first keys of an array as long as arrays can be are found without listing the rest', () => {
    expect(firstKeys(new Array(2 ** 32 - 1), 3)).toEqual(['0', '1', '2'])
  })
})

describe('the base of an error', () => {
  const here = ERROR_BASES.filter((base) => errorConstructor(base) !== undefined)

  test('is known for every constructor that this version of Node has', () => {
    expect(here).toEqual(ERROR_BASES.filter((base) => base === 'EvenkeelError' || base in globalThis))
    for (const base of here) expect(errorBase(errorConstructor(base)!.prototype)).toBe(base)
  })

  test('is the nearest one for a class of classes', () => {
    class Fault extends RangeError {}
    class DeepFault extends Fault {}
    expect(errorBase(new DeepFault())).toBe('RangeError')
    expect(errorBase(new EvenkeelError('EVENKEEL_CLONE', 'no clone'))).toBe('EvenkeelError')
    expect(errorBase(Object.create(TypeError.prototype))).toBe('TypeError')
    expect(errorBase(new DOMException('m'))).toBe('DOMException')
  })

  test('is found by name for an error of another realm, whatever stands between', () => {
    expect(errorBase(runInNewContext('new (class Mine extends TypeError {})("m")'))).toBe('TypeError')
    expect(errorBase(runInNewContext('Object.setPrototypeOf(new TypeError("m"), null)'))).toBe('Error')
  })

  test('of a value that only looks like an error does not exist', () => {
    for (const value of [{}, { name: 'Error', message: 'm', stack: 's' }, [], Object.create(null), new Map()]) {
      expect(errorBase(value)).toBeUndefined()
    }
  })
})

test('the class of a value is the name of its constructor, where it has one', () => {
  expect(className(new Map())).toBe('Map')
  expect(className(new (class Thing {})())).toBe('Thing')
  for (const value of [Object.create(null), { constructor: 'text' }, new (class {})()]) {
    expect(className(value)).toBeUndefined()
  }
})

test('containers are arrays and bare objects; what has a class or is a proxy is none', () => {
  for (const value of [[], {}, Object.create(null), new (class extends Array {})()]) {
    expect(isPlainContainer(value)).toBe(true)
  }
  for (const value of [new Map(), new Date(), new (class Thing {})(), new Proxy([], {}), Buffer.alloc(1)]) {
    expect(isPlainContainer(value)).toBe(false)
  }
})

describe('a scan of a container', () => {
  test('finds plain data of any shape plain, cycles and holes too', () => {
    const ring: Record<string, unknown> = { list: Object.assign(new Array(50), { 7: { deep: [null, 1n, 'x'] } }) }
    ring.self = ring
    expect(scanContainer(ring, 1_000)).toEqual({ isPlainData: true, objects: 4 })
  })

  test.each([
    ['an error', new Error('m')],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
  ])('finds %s wherever it stands', (_what, fault) => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('list', 'object'), { maxLength: 20 }), (path) => {
        const container = path.reduce<object>(
          (inner, kind) => (kind === 'list' ? [1, inner] : { a: 1, inner }),
          [fault],
        )
        expect(scanContainer(container, 1_000).isPlainData).toBe(false)
      }),
    )
  })

  test('finds accessors without running them', () => {
    const container = {
      inner: {
        get now(): number {
          return expect.unreachable('the getter ran')
        },
      },
    }
    expect(scanContainer(container, 1_000).isPlainData).toBe(false)
    expect(scanContainer({ set only(_value: number) {} }, 1_000).isPlainData).toBe(false)
  })

  test('stops after so many objects and takes the rest on trust', () => {
    const rows = Array.from({ length: 10_000 }, (_, row) => ({ row }))
    expect(scanContainer(rows, 100)).toEqual({ isPlainData: true, objects: 100 })
    expect(scanContainer([...rows, () => 1], 100).isPlainData).toBe(true)
  })
})

describe('a description', () => {
  test('is one line that is not blank and not long, whatever the value', () => {
    const anything = fc.anything({
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withBigInt: true,
    })
    fc.assert(
      fc.property(fc.oneof(anything, fc.string({ minLength: 200, maxLength: 2_000 })), (value) => {
        const text = describeValue(value)
        expect(text).toMatch(/\S/)
        expect(text).not.toMatch(/[\r\n\u2028\u2029]/)
        expect(text.length).toBeLessThanOrEqual(301)
      }),
    )
  })

  test.each([
    [[1, 2, 3, 4, 5, 6, 7], '[ 1, 2, 3, 4, 5, 6, 7 ]'],
    [Symbol('two\nlines'), 'Symbol(two lines)'],
    [Symbol('two\r\nlines\u2028more'), 'Symbol(two lines more)'],
    ['two\nlines', "'two\\nlines'"],
  ])('joins the lines of %o', (value, text) => {
    expect(describeValue(value)).toBe(text)
  })

  test('runs neither getters nor an inspection of its own', () => {
    const value = {
      get secret(): string {
        return expect.unreachable('the getter ran')
      },
      [Symbol.for('nodejs.util.inspect.custom')]: () => expect.unreachable('the inspection ran'),
    }
    expect(describeValue(value)).toContain('[Getter]')
  })

  test('of an object of very many properties counts them, and of a value that cannot be shown gives its type', () => {
    const wide = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`key${index}`, index]))
    expect(describeValue(wide)).toBe('Object with 1001 properties')
    expect(describeValue(Object.setPrototypeOf(wide, null))).toBe('an object with 1001 properties')
    const unnamed = Object.create({
      get constructor(): unknown {
        throw new Error('getter')
      },
    })
    expect(describeValue(unnamed)).toMatch(/\S/)
  })
})
