import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../support/seeded-properties.js'
import { ALONE, smallCopy } from '../../src/protocol/small-copy.js'

/** All objects in a value of plain objects and arrays. */
function objectsIn(value: unknown, found = new Set<object>()): Set<object> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found
  found.add(value)
  for (const inner of Object.values(value)) objectsIn(inner, found)
  return found
}

describe('smallCopy', () => {
  test.each([
    ['undefined', undefined],
    ['null', null],
    ['a number', -0],
    ['a bigint', 12n],
    ['a text', 'text'],
    ['a boolean', true],
  ])('gives %s back as it is', (_, value) => {
    expect(smallCopy(value)).toBe(value)
  })

  test.each([
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a long text', 'x'.repeat(20_000)],
    ['a long text inside', { text: 'x'.repeat(20_000) }],
    ['texts that are long together', Array.from({ length: 20 }, () => 'x'.repeat(1_000))],
    ['a Buffer', Buffer.from('abc')],
    ['a Buffer inside', { bytes: Buffer.from('abc') }],
    ['a view that fills its buffer', new Uint8Array(4)],
    ['a Map', new Map([[1, 2]])],
    ['a Date', new Date(0)],
    ['an Error', new Error('e')],
    ['a boxed number', Object(1)],
    [
      'an instance of a class',
      new (class Point {
        x = 1
      })(),
    ],
    ['a subclass of Array', new (class List extends Array<number> {})(3)],
    ['an array with a hole', Object.assign(new Array(3), { 0: 1, 2: 3 })],
    ['an array with a property', Object.assign([1, 2], { name: 'x' })],
    ['a Proxy', new Proxy({ a: 1 }, {})],
    ['a Proxy inside', { inner: new Proxy([1], {}) }],
    ['a function inside', { run() {} }],
    ['a Map that poses as a plain object', Object.setPrototypeOf(new Map([[1, 2]]), Object.prototype)],
    ['many properties', Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, at]))],
    ['many nodes', Array.from({ length: 40 }, () => [1])],
    ['a long array', Array.from({ length: 200 }, () => 1)],
  ])('lets %s travel alone', (_, value) => {
    expect(smallCopy(value)).toBe(ALONE)
  })

  test('lets a value travel alone in which an object stands twice, or that holds itself', () => {
    const twice = { a: 1 }
    expect(smallCopy({ one: twice, two: [twice] })).toBe(ALONE)
    const loop: Record<string, unknown> = { a: 1 }
    loop.self = loop
    expect(smallCopy(loop)).toBe(ALONE)
  })

  test('lets a value travel alone whose getter throws, so that its clone can say so', () => {
    const value = {
      get broken() {
        throw new Error('no')
      },
    }
    expect(smallCopy(value)).toBe(ALONE)
  })

  test('reads each property once', () => {
    let reads = 0
    const value = {
      get count() {
        return ++reads
      },
    }
    expect([smallCopy(value), reads]).toEqual([{ count: 1 }, 1])
  })

  test('a getter that asks for further copies disturbs nothing', () => {
    const inner = { a: 1 }
    const value = {
      get other() {
        smallCopy({ deep: { deeper: [1] } })
        return 1
      },
      one: inner,
      two: inner,
    }
    expect(smallCopy(value)).toBe(ALONE)
  })

  test('what a polluted prototype shows does not become a part of the value', () => {
    Reflect.set(Object.prototype, 'polluted', { everywhere: true })
    try {
      const copy = smallCopy({ own: 1 }) as object
      expect(Object.keys(copy)).toEqual(['own'])
    } finally {
      Reflect.deleteProperty(Object.prototype, 'polluted')
    }
  })

  test('own properties with the names of built-in ones are carried', () => {
    const value = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "toString": [3]}')
    const copy = smallCopy(value) as object
    expect(Object.keys(copy)).toEqual(['__proto__', 'constructor', 'toString'])
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    expect(structuredClone(copy)).toEqual(structuredClone(value))
  })

  test('a copy is what the structured clone makes of the value, and has no object in common with it', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 3, withNullPrototype: true, withBigInt: true }), (value) => {
        const copy = smallCopy(value)
        if (copy === ALONE) return
        expect(structuredClone(copy)).toEqual(structuredClone(value))
        const originals = objectsIn(value)
        for (const object of objectsIn(copy)) expect(originals.has(object)).toBe(false)
      }),
      { numRuns: 300 },
    )
  })
})
