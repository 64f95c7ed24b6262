import { createSecretKey } from 'node:crypto'
import { BlockList } from 'node:net'
import { parse } from 'node:querystring'
import vm from 'node:vm'
import { describe, expect, test } from 'vitest'
import { emptiedBy, findEmptied, insteadOf } from '../../src/protocol/emptied-values.js'

class Secret {
  readonly #value = 1
  get value(): number {
    return this.#value
  }
}
class Point {
  readonly x = 1
  length(): number {
    return this.x
  }
}
class Table extends Map<string, number> {}
class Rows extends Array<number> {}
class Failure extends Error {}

/** What the clone leaves of it, as a receiver sees it; undefined where it refuses. */
function arrives(value: unknown): unknown {
  try {
    return structuredClone(value)
  } catch {
    return undefined
  }
}

describe('refused, because nothing would arrive', () => {
  test.each<[string, object]>([
    ['an instance with private fields alone', new Secret()],
    ['an instance of an empty class', new (class Nothing {})()],
    ['an object whose properties are inherited', Object.create({ a: 1 }) as object],
    ['an object with symbols for names', { [Symbol('a')]: 1 }],
    ['an object with hidden properties', Object.defineProperty({}, 'a', { value: 1 })],
    ['a namespace of the language', Math],
    ['an abort signal', new AbortController().signal],
    ['an abort controller', new AbortController()],
    ['an event', new Event('a')],
    ['an event target', new EventTarget()],
    ['a text encoder', new TextEncoder()],
    ['an error by prototype alone', Object.create(Error.prototype) as object],
  ])('%s', (_, object) => {
    expect(arrives(object)).toEqual({})
    expect(emptiedBy(object)).toMatch(/nothing would arrive; ./)
  })

  test.each<[object, string]>([
    [new URL('http://a/b'), 'href'],
    [new URLSearchParams('a=1'), 'string'],
    [new Headers({ a: 'b' }), 'entries'],
    [new FormData(), 'entries'],
    [new Request('http://a'), 'body'],
    [new Response('text'), 'body'],
  ])('%s: by us or, on newer versions, by Node; and what to send instead', (object, instead) => {
    const left = arrives(object)
    if (left !== undefined) {
      expect(left).toEqual({})
      expect(emptiedBy(object)).toContain(instead)
    }
    expect(insteadOf(object)).toContain(instead)
  })

  test('a port, which must be moved: cloning one that is closed would end the process', () => {
    const { port1, port2 } = new MessageChannel()
    port1.close()
    for (const port of [port1, port2]) expect(emptiedBy(port)).toMatch(/MessagePort/)
    expect(findEmptied({ list: [port1] }, 'payload')).toMatchObject({ path: 'payload.list[0]' })
    expect(findEmptied({ list: [port1] }, 'payload', [port1])).toBeUndefined()
  })
})

describe('passed, because it is carried, only changed, or empty as it is', () => {
  test.each<[string, object]>([
    ['{}', {}],
    ['an object without prototype', Object.create(null) as object],
    ['a dictionary without entries', parse('')],
    ['an empty object of another realm', vm.runInNewContext('({})') as object],
    ['an instance with properties', new Point()],
    ['an empty array, and one of a subclass', [[], new Rows()]],
    ['an empty map, and one of a subclass', new Map([[new Map(), new Table()]])],
    ['an empty set', new Set()],
    ['an error, and one of a subclass', [new Error('a'), new Failure(''), new AggregateError([])]],
    ['an invalid date', new Date(Number.NaN)],
    ['a regular expression', /a/],
    ['a boxed primitive', [Object(1), Object(''), Object(1n)]],
    ['empty memory', [new ArrayBuffer(0), new SharedArrayBuffer(0), new Uint8Array(0), Buffer.alloc(0)]],
    ['a blob', new Blob(['a'])],
    ['a key', createSecretKey(Buffer.from('abc'))],
    ['a list of addresses', new BlockList()],
  ])('%s', (_, object) => {
    expect(emptiedBy(object)).toBeUndefined()
    expect(findEmptied(object, 'payload')).toBeUndefined()
    expect(arrives(object)).toBeDefined()
  })

  test.each<[string, object]>([
    ['a promise', Promise.resolve()],
    ['a weak map', new WeakMap()],
    ['a proxy', new Proxy(new Secret(), {})],
    ['a format', new Intl.NumberFormat()],
    ['a stream', new ReadableStream()],
  ])('what the clone refuses by itself: %s', (_, object) => {
    expect(emptiedBy(object)).toBeUndefined()
    expect(arrives(object)).toBeUndefined()
  })

  test('whatever throws when it is looked at', () => {
    const { proxy, revoke } = Proxy.revocable([], {})
    revoke()
    const hostile = {
      get a(): never {
        throw new Error('mine')
      },
    }
    for (const value of [proxy, [proxy], hostile, new Proxy({}, { ownKeys: () => fail() })]) {
      expect(findEmptied(value, 'payload')).toBeUndefined()
    }
  })
})

describe('the look', () => {
  test('finds the nearest, in objects, arrays, maps and sets', () => {
    const secret = new Secret()
    expect(findEmptied(secret, 'result')?.path).toBe('result')
    expect(findEmptied({ far: { a: secret }, near: secret }, 'payload')?.path).toBe('payload.near')
    expect(findEmptied([1, { a: new Map([['k', secret]]) }], 'payload')?.path).toBe("payload[1].a.get('k')")
    expect(findEmptied(new Set([secret]), 'payload')?.path).toBe('payload.values()[0]')
    expect(findEmptied(new Point(), 'payload')).toBeUndefined()
  })

  test('is bounded: it reads the first members of a large value and no more', () => {
    let reads = 0
    const counted = (index: number) => ({
      get a() {
        reads++
        return index
      },
    })
    const many = Array.from({ length: 100_000 }, (_, index) => counted(index))
    expect(findEmptied([many, new Secret()], 'payload')?.path).toBe('payload[1]')
    expect(findEmptied(many, 'payload')).toBeUndefined()
    expect(
      findEmptied(
        Array.from({ length: 1_000 }, (_, n) => (n === 999 ? new Secret() : n)),
        'payload',
      ),
    ).toBeUndefined()
    expect(reads).toBeLessThan(200)
  })

  test('ends on a cycle', () => {
    const cycle: unknown[] = []
    cycle.push(cycle)
    expect(findEmptied(cycle, 'payload')).toBeUndefined()
  })

  test('asks nothing of primitives', () => {
    for (const value of [undefined, null, 1, '', true, 1n, Symbol('a'), () => 1]) {
      expect(findEmptied(value, 'payload')).toBeUndefined()
    }
  })
})

function fail(): never {
  throw new Error('a trap ran')
}
