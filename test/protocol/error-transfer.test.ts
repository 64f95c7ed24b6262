import { inherits } from 'node:util'
import { runInNewContext } from 'node:vm'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { EvenkeelError } from '../../src/base/errors.js'
import { decodeError, encodeError } from '../../src/protocol/error-transfer.js'

const { port1, port2 } = new MessageChannel()
afterAll(() => port1.close())

function send<T>(value: T): T {
  port1.postMessage(value)
  return receiveMessageOnPort(port2)!.message
}

function isCloneable(value: unknown): boolean {
  try {
    send(value)
    return true
  } catch {
    return false
  }
}

/** What a caller gets when a task throws the value: through a real message port. */
function arrive(thrown: unknown): unknown {
  return decodeError(send(encodeError(thrown, isCloneable)))
}

function arriveError(thrown: unknown): Error & Record<string, unknown> {
  const arrived = arrive(thrown)
  expect(arrived).toBeInstanceOf(Error)
  const error = arrived as Error & Record<string, unknown>
  expect(error.message.trim()).not.toBe('')
  expect(error.name.trim()).not.toBe('')
  expect(typeof error.stack).toBe('string')
  return error
}

describe('errors', () => {
  test.each([Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError])(
    '%o comes back as an instance of its own constructor',
    (Constructor) => {
      const thrown = new Constructor('what happened')
      const error = arriveError(thrown)
      expect(error.constructor).toBe(Constructor)
      expect(error.message).toBe('what happened')
      expect(error.stack).toBe(thrown.stack)
      expect(Object.keys(error)).toEqual([])
    },
  )

  test('code and own enumerable properties are kept, with what is nested in them', () => {
    const error = arriveError(
      Object.assign(new Error('no such file'), {
        code: 'ENOENT',
        errno: -2,
        details: { path: '/x', when: new Date(5), tags: new Set(['a']) },
        big: 7n,
        absent: undefined,
      }),
    )
    expect({ ...error }).toEqual({
      code: 'ENOENT',
      errno: -2,
      details: { path: '/x', when: new Date(5), tags: new Set(['a']) },
      big: 7n,
      absent: undefined,
    })
    expect(Object.hasOwn(error, 'absent')).toBe(true)
  })

  test("Node's own errors keep code and constructor", () => {
    let thrown: unknown
    try {
      new URL('no url')
    } catch (error) {
      thrown = error
    }
    const error = arriveError(thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect(error.code).toBe('ERR_INVALID_URL')
    expect(error.name).toBe('TypeError')
    expect(error.input).toBe('no url')
  })

  test('a class that sets its name keeps it, shown or hidden as it was', () => {
    class Shown extends RangeError {
      override name = 'TooFarError'
    }
    const shown = arriveError(new Shown('far'))
    expect(shown).toBeInstanceOf(RangeError)
    expect(shown.name).toBe('TooFarError')
    expect(Object.keys(shown)).toEqual(['name'])

    class Hidden extends Error {}
    Object.defineProperty(Hidden.prototype, 'name', { value: 'QuietError' })
    const hidden = arriveError(new Hidden('quiet'))
    expect(hidden.name).toBe('QuietError')
    expect(Object.keys(hidden)).toEqual([])
  })

  test('an error of evenkeel stays one', () => {
    const error = arriveError(new EvenkeelError('EVENKEEL_CLONE', 'no clone', { path: 'result.fn', cause: 7 }))
    expect(error).toBeInstanceOf(EvenkeelError)
    expect(error.name).toBe('DataCloneError')
    expect({ ...error }).toEqual({
      code: 'EVENKEEL_CLONE',
      retryable: false,
      path: 'result.fn',
      name: 'DataCloneError',
    })
    expect(error.cause).toBe(7)
  })

  test('a class that sets no name gives its own', () => {
    class ValidationError extends TypeError {}
    const error = arriveError(new ValidationError('bad field'))
    expect(error).toBeInstanceOf(TypeError)
    expect(error.name).toBe('ValidationError')
  })

  test('a code that stands on the prototype is kept', () => {
    class CodedError extends Error {
      get code() {
        return 'E_CODED'
      }
    }
    expect(arriveError(new CodedError('coded')).code).toBe('E_CODED')
  })

  test('an error by prototype only is an error', () => {
    function LegacyError(this: { message: string }, message: string) {
      this.message = message
    }
    inherits(LegacyError, Error)
    const error = arriveError(Reflect.construct(LegacyError, ['old style']))
    expect(error.message).toBe('old style')
    expect(error.name).toBe('LegacyError')
    expect(error.stack).toBe('LegacyError: old style')
    expect(arriveError(Object.create(TypeError.prototype))).toBeInstanceOf(TypeError)
  })

  test('an error of another realm is an instance of the constructor here', () => {
    const error = arriveError(runInNewContext('Object.assign(new RangeError("elsewhere"), { code: "E1" })'))
    expect(error).toBeInstanceOf(RangeError)
    expect(error.message).toBe('elsewhere')
    expect(error.code).toBe('E1')
  })

  test('a chain of causes is kept, each as it is', () => {
    const error = arriveError(
      new Error('outer', { cause: new TypeError('middle', { cause: { reason: 'inner', values: [1, 2] } }) }),
    )
    const middle = error.cause as Error
    expect(middle).toBeInstanceOf(TypeError)
    expect(middle.message).toBe('middle')
    expect(middle.cause).toEqual({ reason: 'inner', values: [1, 2] })
    expect(Object.keys(error)).toEqual([])
  })

  test('an undefined cause that was given stays given', () => {
    const error = arriveError(new Error('m', { cause: undefined }))
    expect(Object.hasOwn(error, 'cause')).toBe(true)
    expect(error.cause).toBeUndefined()
    expect(Object.hasOwn(arriveError(new Error('m')), 'cause')).toBe(false)
  })

  test('a cause that cannot cross is described', () => {
    const error = arriveError(new Error('m', { cause: Symbol('why') }))
    expect((error.cause as Error).message).toContain('Symbol(why)')
  })

  test('an AggregateError keeps its list', () => {
    const error = arriveError(new AggregateError([new Error('one'), new TypeError('two'), 'three', () => 4], 'many'))
    expect(error).toBeInstanceOf(AggregateError)
    expect(error.message).toBe('many')
    const errors = error.errors as Error[]
    expect(errors).toHaveLength(4)
    expect(errors[0]!.message).toBe('one')
    expect(errors[1]!.message).toBe('two')
    expect(errors[1]).toBeInstanceOf(TypeError)
    expect(errors[2]).toBe('three')
    expect(errors[3]!.message).toContain('Function')
    expect(Object.keys(error)).toEqual([])
  })

  test('a DOMException keeps class, name, message and code', () => {
    const error = arriveError(new DOMException('stopped', 'AbortError'))
    expect(error).toBeInstanceOf(DOMException)
    expect(error.name).toBe('AbortError')
    expect(error.message).toBe('stopped')
    expect(error.code).toBe(20)
  })

  test.each([() => 1, Symbol('s'), new WeakMap(), { at: { depth: () => 1 } }])(
    'the DataCloneError of %o arrives with its name and message',
    (value) => {
      let thrown: unknown
      try {
        send(value)
      } catch (error) {
        thrown = error
      }
      const error = arriveError(thrown)
      expect(error.name).toBe('DataCloneError')
      expect(error.message).toContain('could not be cloned')
      expect(error.code).toBe(25)
    },
  )

  test('an error that names itself arrives with the cycle', () => {
    const thrown = Object.assign(new Error('circ'), { self: {} as unknown, deep: { list: [] as unknown[] } })
    thrown.self = thrown
    thrown.deep.list.push(thrown)
    const error = arriveError(thrown)
    expect(error.message).toBe('circ')
    expect(error.self).toBe(error)
    expect((error.deep as { list: unknown[] }).list[0]).toBe(error)
  })

  test('errors inside arrays and objects of an error arrive as errors', () => {
    const inner = new DOMException('gone', 'NotFoundError')
    const error = arriveError(
      Object.assign(new Error('outer'), {
        failures: [
          { id: 1, inner },
          { id: 2, inner },
        ],
      }),
    )
    const failures = error.failures as { id: number; inner: DOMException }[]
    expect(failures[1]!.id).toBe(2)
    expect(failures[1]!.inner.name).toBe('NotFoundError')
    expect(failures[0]!.inner).toBe(failures[1]!.inner)
  })

  test('what cannot be cloned is dropped, the rest and the message are kept', () => {
    const thrown = Object.assign(new Error('with-fn'), {
      handler() {},
      req: { socket() {}, url: '/x' },
      tag: Symbol('t'),
      table: new WeakMap(),
      proxy: new Proxy({}, {}),
      left: 1,
    })
    const error = arriveError(thrown)
    expect(error.message).toBe('with-fn')
    expect(error.stack).toBe(thrown.stack)
    expect({ ...error }).toEqual({ req: { url: '/x' }, left: 1 })
  })

  test('getters that throw cost only what they would have given', () => {
    const thrown = new Error('kept')
    for (const key of ['stack', 'name', 'cause', 'code', 'extra']) {
      Object.defineProperty(thrown, key, {
        enumerable: true,
        get() {
          throw new Error('getter')
        },
      })
    }
    Object.assign(thrown, {
      left: 1,
      nested: {
        get bad(): number {
          throw new Error('getter')
        },
        good: 2,
      },
    })
    const error = arriveError(thrown)
    expect(error.message).toBe('kept')
    expect(error.name).toBe('Error')
    expect(error.left).toBe(1)
    expect(Object.keys(error)).not.toContain('extra')
    expect(error.stack).not.toContain('test')

    const silent = new Error()
    Object.defineProperty(silent, 'message', {
      get() {
        throw new Error('getter')
      },
    })
    expect(arriveError(silent).message).toContain('cannot be read')
  })

  test('a proxy of an error is an error, and a hostile one settles too', () => {
    expect(arriveError(new Proxy(new TypeError('behind'), {})).message).toBe('behind')
    const fail = () => {
      throw new Error('trap')
    }
    const hostile = new Proxy(new Error('x'), {
      get: fail,
      ownKeys: fail,
      getPrototypeOf: fail,
      getOwnPropertyDescriptor: fail,
      has: fail,
    })
    arriveError(hostile)
    const revoked = Proxy.revocable(new Error('x'), {})
    revoked.revoke()
    arriveError(revoked.proxy)
  })

  test('a frozen error is copied and the copy can be changed', () => {
    const error = arriveError(Object.freeze(Object.assign(new Error('ice'), { code: 'E' })))
    error.message = 'thawed'
    error.code = 'F'
    expect([error.message, error.code]).toEqual(['thawed', 'F'])
  })

  test('a property named __proto__ stays a property', () => {
    const thrown = new Error('m')
    Object.defineProperty(thrown, '__proto__', { value: { evil: 1 }, enumerable: true })
    const error = arriveError(thrown)
    expect(error).toBeInstanceOf(Error)
    expect(error.evil).toBeUndefined()
    expect(Object.keys(error)).toEqual(['__proto__'])
  })

  test.each([new Error(), new Error('  '), new TypeError(''), new AggregateError([]), new DOMException()])(
    'a blank message is filled (%o)',
    (thrown) => {
      arriveError(thrown)
    },
  )

  test('a message that is no string is shown', () => {
    const thrown = new Error('x')
    Object.assign(thrown, { message: { status: 404 } })
    expect(arriveError(thrown).message).toContain('404')
  })
})

describe('bounds', () => {
  test('a chain of 20,000 causes crosses with a note at the cut', () => {
    let thrown = new Error('innermost')
    for (let depth = 0; depth < 20_000; depth++) thrown = new Error(`level ${depth}`, { cause: thrown })
    const arrived = arriveError(thrown)
    let depth = 0
    let error: Error = arrived
    while (error.cause instanceof Error) {
      error = error.cause
      depth++
    }
    expect(arrived.message).toBe('level 19999')
    expect(error.message).toContain('left out')
    expect(depth).toBe(1000)
  })

  test('an object nested 20,000 deep is dropped, the error is kept', () => {
    let deep: unknown = {}
    for (let depth = 0; depth < 20_000; depth++) deep = { deep }
    const error = arriveError(Object.assign(new Error('kept'), { deep, left: 1 }))
    expect(error.message).toBe('kept')
    expect(error.left).toBe(1)
  })

  test('a long array with a fault in it is cut, and ends with a note; a long one without crosses', () => {
    const good = new Array(200_000).fill(1)
    const error = arriveError(Object.assign(new Error('m'), { good, bad: [...good, () => 1] }))
    expect(error.good).toEqual(good)
    const { bad } = error as unknown as { bad: unknown[] }
    expect(bad.at(-1)).toMatchObject({ message: expect.stringMatching(/^left out: \d+ further of \d+ members$/) })
  })

  test('a thrown object of many properties is described without them', () => {
    const wide: Record<string, unknown> = { fn() {} }
    for (let index = 0; index < 5_000; index++) wide[`key${index}`] = index
    expect(arriveError(wide).message).toContain('5001 properties')
  })

  test('a large table of numbers crosses whole', () => {
    const rows = Array.from({ length: 5_000 }, (_, row) => ({ row, values: [row, row] }))
    expect(arriveError(Object.assign(new Error('m'), { rows })).rows).toEqual(rows)
  })
})

describe('thrown values that are no errors', () => {
  test.each([
    null,
    undefined,
    's',
    '',
    7,
    -0,
    Number.NaN,
    9n,
    true,
    { a: 1 },
    Object.assign(new Array(3), { 1: 'hole before' }),
    new Map([[1, { b: 2 }]]),
    new Date(3),
  ])('%o arrives as itself', (thrown) => {
    expect(arrive(thrown)).toStrictEqual(thrown)
  })

  test.each([
    [Symbol('mark'), 'Symbol(mark)'],
    [function named() {}, 'named'],
    [class Thing {}, 'Thing'],
    [{ fn() {} }, 'fn'],
    [new WeakSet(), 'WeakSet'],
    [Promise.resolve(1), 'Promise'],
  ])('%o arrives as an error that describes it', (thrown, text) => {
    const error = arriveError(thrown)
    expect(error.name).toBe('ThrownValueError')
    expect(error.message).toContain(text)
  })

  test('the properties of a thrown object that can cross do', () => {
    const error = arriveError({ status: 503, message: 'busy', retry() {} })
    expect(error.status).toBe(503)
    expect(error.message).toContain('busy')
  })

  test('an error inside a thrown object stays an error', () => {
    const arrived = arrive({ reason: new TypeError('inner') }) as { reason: Error }
    expect(arrived.reason).toBeInstanceOf(TypeError)
    expect(arrived.reason.message).toBe('inner')
  })
})

describe('properties', () => {
  test('any plain data that is thrown arrives equal', () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withMap: true, withSet: true, withBigInt: true }), (thrown) => {
        fc.pre(isCloneable(thrown))
        expect(arrive(thrown)).toEqual(send(thrown))
      }),
      { seed: 11, numRuns: 300 },
    )
  })

  test('any error keeps message and properties, whatever hangs on it', () => {
    const graph = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.anything(),
        fc.constantFrom<unknown>(() => 1, Symbol('s'), new WeakMap(), new DOMException('d', 'AbortError')),
        fc.dictionary(fc.string({ minLength: 1 }), tie('node'), { maxKeys: 4 }),
        fc.tuple(fc.string({ minLength: 1 }), tie('node')).map(([text, cause]) => new Error(text, { cause })),
      ),
    })).node
    fc.assert(
      fc.property(fc.string(), graph, (message, extra) => {
        const error = arriveError(Object.assign(new RangeError(message), { extra }))
        expect(error).toBeInstanceOf(RangeError)
        if (message.trim() !== '') expect(error.message).toBe(message)
        if (extra instanceof Error)
          expect((error.extra as Error).message).toBe(
            extra.message.trim() ? extra.message : (error.extra as Error).message,
          )
      }),
      { seed: 12, numRuns: 300 },
    )
  })
})
