import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ErrorEncoder, type WireError, type WireNode } from '../../src/protocol/error-encoder.js'
import { decodeError } from '../../src/protocol/error-transfer.js'
import '../support/seeded-properties.js'

function canClone(value: unknown): boolean {
  structuredClone(value)
  return true
}

const encode = (thrown: unknown, isCloneable: (value: unknown) => boolean = canClone): WireError =>
  new ErrorEncoder(isCloneable).encode(thrown)

const keysOf = (node: WireNode) => node.entries.map(({ key }) => key)

describe('the wire form', () => {
  test('of a plain error is one node, and nobody is asked what can be cloned', () => {
    const thrown = Object.assign(new TypeError('no text'), { code: 'E_TEXT', attempts: 3 })
    const { root, nodes } = encode(thrown, () => expect.unreachable('asked'))
    expect(root.node).toBe(0)
    expect(nodes).toEqual([
      {
        base: 'TypeError',
        message: 'no text',
        stack: thrown.stack,
        entries: [
          { key: 'code', value: 'E_TEXT' },
          { key: 'attempts', value: 3 },
        ],
      },
    ])
  })

  test('of a value that is no error has no node', () => {
    const thrown = { status: 503, path: ['a', 'b'] }
    expect(encode(thrown)).toEqual({ root: { key: '', value: thrown }, nodes: [] })
    expect(encode(undefined)).toEqual({ root: { key: '', value: undefined }, nodes: [] })
  })

  test('names errors by index, so that what stands in several places is there once', () => {
    const shared = new RangeError('shared')
    const thrown: Error & { self?: unknown } = new AggregateError([shared, shared], 'outer', { cause: shared })
    thrown.self = thrown
    const { nodes } = encode(thrown)
    expect(nodes.map(({ base }) => base)).toEqual(['AggregateError', 'RangeError', 'array'])
    const [outer, , list] = nodes
    expect(outer!.entries).toEqual([
      { key: 'cause', node: 1, hidden: true },
      { key: 'errors', node: 2, hidden: true },
      { key: 'self', node: 0 },
    ])
    expect(list!.entries).toEqual([
      { key: '0', node: 1 },
      { key: '1', node: 1 },
    ])
  })

  test('takes a container apart only where the clone would damage it', () => {
    const thrown = Object.assign(new Error('outer'), { data: { list: [1, 2] }, failed: [new Error('inner')] })
    const { nodes } = encode(thrown)
    expect(nodes.map(({ base }) => base)).toEqual(['Error', 'array', 'Error'])
    expect(nodes[0]!.entries[0]).toEqual({ key: 'data', value: { list: [1, 2] } })
  })

  test('of a long array of holes keeps its length and names what it holds', () => {
    const failures = Object.assign(new Array(500), { 499: new Error('last') })
    const list = encode(Object.assign(new Error('m'), { failures })).nodes[1]!
    expect(list.length).toBe(500)
    expect(list.entries).toEqual([{ key: '499', node: 2 }])
  })

  test('never has a blank message, name or stack', () => {
    class NoName extends Error {
      override name = ' '
    }
    const noStack = new NoName(' ')
    noStack.stack = ''
    expect(encode(noStack).nodes[0]).toMatchObject({
      message: 'Error without a message',
      stack: 'Error: Error without a message',
    })
    const code = Object.assign(new Error(), { code: 'E_QUIET' })
    expect(encode(code).nodes[0]!.message).toBe('Error [E_QUIET] without a message')
  })

  test('of anything clones as it is, and each index in it names a node', () => {
    const strange = fc.constantFrom<unknown>(
      Symbol('s'),
      () => 1,
      new WeakMap(),
      new DOMException('d', 'AbortError'),
      new Proxy({}, {}),
      Promise.resolve(),
    )
    const graph = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.anything({ withDate: true, withMap: true, withSet: true, withTypedArray: true, withSparseArray: true }),
        strange,
        fc.array(tie('node'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('node'), { maxKeys: 4 }),
        fc
          .tuple(fc.string(), tie('node'), tie('node'))
          .map(([text, cause, extra]) => Object.assign(new Error(text, { cause }), { extra })),
      ),
    })).node
    fc.assert(
      fc.property(graph, (thrown) => {
        const wire = encode(thrown)
        expect(() => structuredClone(wire)).not.toThrow()
        const entries = [wire.root, ...wire.nodes.flatMap((node) => node.entries)]
        for (const { node } of entries) if (node !== undefined) expect(wire.nodes[node]).toBeDefined()
        for (const { base, message } of wire.nodes) {
          if (base !== 'array' && base !== 'object') expect(message!.trim()).not.toBe('')
        }
      }),
    )
  })
})

describe('a value that cannot cross', () => {
  test('is left out of the properties of an error', () => {
    const { nodes } = encode(Object.assign(new Error('m'), { table: new WeakMap(), listener() {}, left: 1 }))
    expect(nodes.map(keysOf)).toEqual([['left']])
  })

  test('is described where it is the cause, in a list of errors, or what was thrown', () => {
    const many = new AggregateError([new WeakSet()], 'many', { cause: Symbol('why') })
    const messages = encode(many).nodes.flatMap(({ base, message }) => (base === 'Error' ? [message] : []))
    expect(messages).toEqual([
      'the cause is a value that cannot be sent between threads: Symbol(why)',
      expect.stringMatching(/^a value that cannot be sent between threads: WeakSet/),
    ])
    const { root, nodes } = encode(Symbol('thrown'))
    expect(nodes[root.node!]).toMatchObject({
      name: 'ThrownValueError',
      message: 'the task threw a value that cannot be sent between threads: Symbol(thrown)',
    })
  })

  test('in a list of errors is described though a note stands before the list', () => {
    const inner = new AggregateError([Symbol('second')], 'inner')
    const outer = new AggregateError([Symbol('first'), inner], 'outer', { cause: () => 1 })
    const { nodes } = encode(outer)
    const lists = nodes.filter(({ base }) => base === 'array')
    const described = lists.map(({ entries }) => entries.map(({ node }) => nodes[node!]!.message))
    expect(described).toEqual([
      [expect.stringContaining('Symbol(first)'), 'inner'],
      [expect.stringContaining('Symbol(second)')],
    ])
  })

  test('is one for which the question throws', () => {
    const { nodes } = encode(Object.assign(new Error('m'), { data: { a: 1 }, date: new Date(1) }), () => {
      throw new Error('no answer')
    })
    // Neither could be cloned whole; the plain object is taken apart, and its number needs no clone.
    expect(nodes.map(keysOf)).toEqual([['data'], ['a']])
  })
})

describe('bounds', () => {
  test('a refusing object asked at every level costs a bounded number of clones', () => {
    let nested: unknown = { table: new WeakMap() }
    for (let depth = 0; depth < 900; depth++) nested = { nested, table: new WeakMap() }
    let asked = 0
    encode(Object.assign(new Error('m'), { nested }), () => {
      asked++
      return false
    })
    expect(asked).toBeLessThanOrEqual(30)
  })

  test('of more than a thousand errors the far ones are left out, and one note says so', () => {
    const far = Array.from({ length: 600 }, (_, index) => new Error(`far ${index}`))
    const near = Array.from({ length: 900 }, (_, index) => new Error(`near ${index}`, { cause: far[index] }))
    const { nodes } = encode(new AggregateError(near, 'all'))
    const messages = nodes.map(({ message }) => message ?? '')
    expect(messages.filter((message) => message.startsWith('near'))).toHaveLength(900)
    expect(messages.filter((message) => message.startsWith('left out'))).toHaveLength(1)
    expect(nodes).toHaveLength(1_001)
    expect(nodes.at(-1)!.message).toBe('left out: more than 1000 errors and objects hang together')
  })

  test.each([1_001, 3_000])(
    'of a list of %d errors the first ones are carried, then one note says how many are not',
    (size) => {
      const errors = Array.from({ length: size }, (_, index) => new Error(`number ${index}`))
      for (const thrown of [new AggregateError(errors, 'all'), Object.assign(new Error('all'), { failures: errors })]) {
        const decoded = decodeError(encode(thrown)) as AggregateError & { failures: Error[] }
        const list = decoded.failures ?? decoded.errors
        expect(list).toHaveLength(999)
        expect(list.slice(0, 998).map(({ message }) => message)).toEqual(errors.slice(0, 998).map((e) => e.message))
        expect(list.at(-1)!.message).toBe(`left out: ${size - 998} further of ${size} members`)
      }
    },
  )

  test('of many lists each is cut for itself, and all together stay within bounds', () => {
    const list = () =>
      new AggregateError(
        Array.from({ length: 2_000 }, () => new Error('m')),
        'inner',
      )
    const { nodes } = encode(new AggregateError([list(), list(), list()], 'outer'))
    expect(nodes.length).toBeLessThan(1_010)
  })

  test('a list of a thousand and more that holds few errors ends with a note, too', () => {
    const mixed: unknown[] = [new Error('first'), ...Array.from({ length: 1_999 }, (_, index) => index)]
    const { errors } = decodeError(encode(new AggregateError(mixed))) as AggregateError
    expect(errors).toHaveLength(1_001)
    expect([errors[0].message, errors[999]]).toEqual(['first', 998])
    expect(errors[1_000].message).toBe('left out: 1000 further of 2000 members')
  })

  test('an error carries a thousand properties and no more', () => {
    const thrown = new Error('wide')
    for (let index = 0; index < 1_500; index++) Object.assign(thrown, { [`key${index}`]: index })
    const keys = keysOf(encode(thrown).nodes[0]!)
    expect(keys).toHaveLength(1_000)
    expect(keys.at(-1)).toBe('key999')
  })
})
