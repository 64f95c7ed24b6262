import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../support/seeded-properties.js'
import { isLight, NO_TREE, TreeReader, type Trees, TreeWriter } from '../../src/protocol/small-tree.js'

function treeAt([values, shapes]: Trees, at: number): unknown {
  return new TreeReader(shapes).read(values, at)
}

/** What the other side builds of a value, or `NO_TREE`. */
function carried(value: unknown, writer = new TreeWriter()): unknown {
  const at = writer.write(value as object)
  return at === NO_TREE ? NO_TREE : treeAt(structuredClone(writer.take()!), at)
}

describe('isLight', () => {
  test.each([
    ['undefined', undefined, true],
    ['null', null, true],
    ['a number', -0, true],
    ['a bigint', 12n, true],
    ['a text', 'text', true],
    ['a boolean', true, true],
    ['a function', () => 1, false],
    ['a symbol', Symbol('s'), false],
    ['a long text', 'x'.repeat(20_000), false],
  ])('of %s', (_, value, light) => {
    expect(isLight(value)).toBe(light)
  })
})

describe('TreeWriter and TreeReader', () => {
  test.each([
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
    ['an array with as many properties as holes', Object.assign(new Array(3), { 0: 1, 2: 3, name: 'x' })],
    ['an array with a hole for undefined', Object.assign(new Array(2), { 1: undefined, name: undefined })],
    ['a Proxy', new Proxy({ a: 1 }, {})],
    ['a Proxy inside', { inner: new Proxy([1], {}) }],
    ['a function inside', { run() {} }],
    ['a Map that poses as a plain object', Object.setPrototypeOf(new Map([[1, 2]]), Object.prototype)],
    ['many properties', Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, at]))],
    ['many nodes', Array.from({ length: 40 }, () => [1])],
    ['a long array', Array.from({ length: 200 }, () => 1)],
    ['an array of objects and numbers', [{ a: 1 }, 2]],
    ['a long key', { ['k'.repeat(300)]: 1 }],
    [
      'an object behind many keys',
      Object.assign(Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`k${at}`, at])), { last: [1] }),
    ],
    ['an empty object', {}],
  ])('lets %s travel alone', (_, value) => {
    expect(carried(value)).toBe(NO_TREE)
  })

  test('lets a value travel alone in which an object stands twice, or that holds itself', () => {
    const twice = { a: 1 }
    expect(carried({ one: twice, two: [twice] })).toBe(NO_TREE)
    const loop: Record<string, unknown> = { a: 1 }
    loop.self = loop
    expect(carried(loop)).toBe(NO_TREE)
  })

  test('lets a value travel alone whose getter throws, so that its clone can say so', () => {
    const value = {
      get broken() {
        throw new Error('no')
      },
    }
    expect(carried(value)).toBe(NO_TREE)
  })

  test('reads each property once', () => {
    let reads = 0
    const value = {
      get count() {
        return ++reads
      },
    }
    expect([carried(value), reads]).toEqual([{ count: 1 }, 1])
  })

  test('keeps what the values are: signs of zero, NaN, undefined, bigints, nothing', () => {
    const value = {
      zero: -0,
      nan: Number.NaN,
      big: 2n ** 70n,
      none: undefined,
      nil: null,
      list: [undefined, -0],
      empty: [],
    }
    expect(carried(value)).toStrictEqual(value)
  })

  test('writes trees of many shapes into one message, and forgets the shapes with it', () => {
    const writer = new TreeWriter()
    const values = [{ a: 1 }, { a: [1] }, { a: 1, b: 2 }, { a: 3 }, [[{ a: 1 }], [{ b: 2 }]], { b: { a: 1 }, c: [] }]
    for (let message = 0; message < 3; message++) {
      const places = values.map((value) => writer.write(value))
      const [trees, shapes] = structuredClone(writer.take()!)
      const reader = new TreeReader(shapes)
      expect(places.toReversed().map((at) => reader.read(trees, at))).toEqual(values.toReversed())
    }
  })

  test('keys that are always others are not remembered for ever', () => {
    const writer = new TreeWriter()
    for (let at = 0; at < 5_000; at++) {
      const value = { [`key ${at}`]: at, [`other ${at}`]: [at] }
      expect(carried(value, writer)).toEqual(value)
    }
  })

  test('a value that travels alone leaves nothing behind', () => {
    const writer = new TreeWriter()
    expect(writer.write({ a: 1, b: new Map() })).toBe(NO_TREE)
    expect(writer.take()).toBeUndefined()
    expect(carried({ a: 1 }, writer)).toEqual({ a: 1 })
  })

  test('a getter that writes and sends other trees disturbs neither them nor its own', () => {
    const writer = new TreeWriter()
    const before = writer.write({ before: 1 })
    let sent: unknown
    const value = {
      first: 1,
      get other() {
        expect(writer.write({ deep: { deeper: [1] } })).toBe(NO_TREE)
        sent = treeAt(writer.take()!, before)
        return 2
      },
      last: [3],
    }
    expect(writer.write(value)).toBe(NO_TREE)
    expect(sent).toEqual({ before: 1 })
    expect(carried({ after: 1 }, writer)).toEqual({ after: 1 })
  })

  test('what a polluted prototype shows does not become a part of the value', () => {
    Reflect.set(Object.prototype, 'polluted', { everywhere: true })
    try {
      expect(carried({ own: 1 })).toBe(NO_TREE)
    } finally {
      Reflect.deleteProperty(Object.prototype, 'polluted')
    }
  })

  test('a setter of a polluted prototype sees nothing of what arrives', () => {
    const writer = new TreeWriter()
    const at = writer.write({ polluted: 1 })
    const trees = writer.take()!
    const seen: unknown[] = []
    Object.defineProperty(Object.prototype, 'polluted', { set: (value) => seen.push(value), configurable: true })
    try {
      const built = treeAt(trees, at) as object
      expect(Object.entries(built)).toEqual([['polluted', 1]])
      expect(seen).toEqual([])
    } finally {
      Reflect.deleteProperty(Object.prototype, 'polluted')
    }
  })

  test('own properties with the names of built-in ones are carried', () => {
    const value = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "toString": [3]}')
    const built = carried(value) as object
    expect(Object.keys(built)).toEqual(['__proto__', 'constructor', 'toString'])
    expect(Object.getPrototypeOf(built)).toBe(Object.prototype)
    expect(built).toEqual(structuredClone(value))
  })

  test('what arrives is what the structured clone makes of the value', () => {
    let written = 0
    const writer = new TreeWriter()
    fc.assert(
      fc.property(fc.object({ maxDepth: 3, withNullPrototype: true, withBigInt: true }), (value) => {
        const built = carried(value, writer)
        if (built === NO_TREE) return
        written++
        expect(built).toStrictEqual(structuredClone(value))
        expect(Object.keys(built as object)).toEqual(Object.keys(value))
      }),
      { numRuns: 300 },
    )
    expect(written).toBeGreaterThan(50)
  })
})
