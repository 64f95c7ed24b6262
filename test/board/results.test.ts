import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../support/seeded-properties.js'
import { boardOf, RING_BYTES } from '../../src/board/layout.js'
import { IN_MESSAGE, ResultReader, ResultWriter } from '../../src/board/results.js'
import { transfer } from '../../src/protocol/transfer.js'

function newResults() {
  const board = boardOf()
  const told: unknown[] = []
  const reader = new ResultReader(boardOf(board.buffer))
  const writer = new ResultWriter(board, (shapes) => {
    told.push(shapes)
    reader.learn(structuredClone(shapes))
  })
  return { board, writer, reader, told }
}

/** What the other side reads, or `IN_MESSAGE`. */
function carried(value: unknown, { writer, reader } = newResults()): unknown {
  const where = writer.write(7, value)
  expect(reader.placeOf(7)).toBe(where)
  if (where === IN_MESSAGE) return IN_MESSAGE
  const read = reader.take(7, where)
  reader.release()
  return read
}

const BEYOND_LATIN = 'ž€漢😀\ud800'

test.each([
  undefined,
  null,
  true,
  false,
  0,
  -0,
  127,
  128,
  -1,
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 31,
  0.1,
  Number.NaN,
  Number.NEGATIVE_INFINITY,
  '',
  'short',
  'é\u00ff\u0000',
  'x'.repeat(25),
  'é'.repeat(25),
  BEYOND_LATIN,
  BEYOND_LATIN.repeat(20),
  'y'.repeat(16_384),
])('%# is read as it was written', (value) => {
  const results = newResults()
  for (const result of [value, { value }, [value], { deep: [{ value }] }]) {
    expect(carried(result, results)).toStrictEqual(result)
  }
})

test.each([
  ['a bigint alone', 12n],
  ['a function', () => 1],
  ['a symbol', Symbol('s')],
  ['a long text', 'x'.repeat(16_385)],
  ['a class instance', new Map()],
  ['what is moved', transfer({ a: 1 }, [])],
])('%s travels in a message', (_, value) => {
  expect(carried(value)).toBe(IN_MESSAGE)
})

test('a bigint in a tree keeps its digits', () => {
  expect(carried({ large: -(2n ** 200n), small: 0n })).toEqual({ large: -(2n ** 200n), small: 0n })
})

test('the error of a failed task is not on the board, whatever was there before', () => {
  const { writer, reader } = newResults()
  writer.write(3, 1)
  expect(writer.writeNone(3)).toBe(IN_MESSAGE)
  expect(reader.placeOf(3)).toBe(IN_MESSAGE)
})

test('any tree of primitives is read as it was written, in any order before it is taken', () => {
  const primitive = fc.oneof(
    fc.constant(undefined),
    fc.constant(null),
    fc.boolean(),
    fc.double(),
    fc.integer(),
    fc.bigInt(),
    fc.string({ unit: 'binary', maxLength: 60 }),
  )
  const tree = fc.oneof(
    fc.dictionary(fc.string(), primitive, { noNullPrototype: true }),
    fc.array(primitive),
    fc.array(fc.record({ id: primitive, tags: fc.array(primitive) }), { maxLength: 6 }),
  )
  const results = newResults()
  fc.assert(
    fc.property(fc.array(tree, { maxLength: 20 }), fc.integer({ min: 0, max: 100 }), (values, from) => {
      const { writer, reader } = results
      const places = values.map((value, at) => writer.write(from + at, value))
      const early = places.map((where, at) =>
        where === IN_MESSAGE ? structuredClone(values[at]) : reader.read(from + at, where),
      )
      const taken = places.map((where, at) =>
        where === IN_MESSAGE ? structuredClone(values[at]) : reader.take(from + at, where),
      )
      expect(early).toStrictEqual(values.map((value) => structuredClone(value)))
      reader.release()
      expect(taken).toStrictEqual(early)
    }),
  )
})

describe('shapes', () => {
  test('are told once, before the first result that has them', () => {
    const results = newResults()
    for (let turn = 0; turn < 3; turn++) carried({ id: turn, name: 'x' }, results)
    expect(results.told).toEqual([[['id', 'name'], 0]])
    carried({ id: 1, name: { first: 'x' } }, results)
    expect(results.told).toHaveLength(2)
  })

  test('are not learned for ever: with keys that are always others, new shapes travel, known ones stay', () => {
    const results = newResults()
    carried({ known: 1 }, results)
    let travelled = 0
    for (let at = 0; at < 5_000; at++) if (carried({ [`key ${at}`]: at }, results) === IN_MESSAGE) travelled++
    expect(travelled).toBeGreaterThan(3_900)
    expect(results.told.length).toBeLessThan(1_100)
    expect(carried({ known: 2 }, results)).toEqual({ known: 2 })
  })

  test('a setter that appears on the prototype later sees nothing', () => {
    const results = newResults()
    carried({ polluted: 1 }, results)
    const seen: unknown[] = []
    const where = results.writer.write(7, { polluted: 2 })
    Object.defineProperty(Object.prototype, 'polluted', { set: (value) => seen.push(value), configurable: true })
    try {
      expect(Object.entries(results.reader.take(7, where) as object)).toEqual([['polluted', 2]])
      expect(seen).toEqual([])
    } finally {
      Reflect.deleteProperty(Object.prototype, 'polluted')
    }
  })
})

describe('the ring', () => {
  const text = 'x'.repeat(10_000)

  test('has room for about a mebibyte that was not taken; what finds none travels, and nothing is overwritten', () => {
    const { writer, reader } = newResults()
    const places: number[] = []
    while (places.at(-1) !== IN_MESSAGE) places.push(writer.write(places.length, `${places.length} ${text}`))
    places.pop()
    expect(places.length).toBeGreaterThan(RING_BYTES / 25_000)
    places.forEach((where, at) => void expect(reader.take(at, where)).toBe(`${at} ${text}`))
    expect(writer.write(0, text)).toBe(IN_MESSAGE)
    reader.release()
    expect(writer.write(0, text)).not.toBe(IN_MESSAGE)
  })

  test('goes round and round, in step with the reader or behind it, and stays low while little is waiting', () => {
    const { board, writer, reader } = newResults()
    let highest = 0
    for (let at = 0; at < 20_000; at++) {
      const value = { at, text: 'some text' }
      const where = writer.write(at % 8, value)
      highest = Math.max(highest, board.number[at % 8]! & (RING_BYTES - 1))
      expect(where).not.toBe(IN_MESSAGE)
      expect(reader.take(at % 8, where)).toEqual(value)
      reader.release()
    }
    expect(highest).toBeLessThan(20_000)
  })

  test('goes on when its positions pass 32 bits', () => {
    const { board, writer, reader } = newResults()
    let wraps = 0
    let before = 0
    for (let at = 0; at < 20_000; at++) {
      const where = writer.write(0, text)
      expect(where).not.toBe(IN_MESSAGE)
      if (board.number[0]! < before) wraps++
      before = board.number[0]!
      expect(reader.take(0, where)).toBe(text)
      reader.release()
    }
    expect(wraps).toBeGreaterThan(0)
  })

  test('uses more of itself when results wait longer', () => {
    const { writer, reader } = newResults()
    const waiting: [index: number, where: number, at: number][] = []
    let travelled = 0
    for (let at = 0; at < 20_000; at++) {
      const where = writer.write(at % 512, `${at} ${'y'.repeat(300)}`)
      if (where === IN_MESSAGE) travelled++
      else waiting.push([at % 512, where, at])
      if (waiting.length < 200) continue
      for (const [index, place, number] of waiting.splice(0, 150)) {
        expect(reader.take(index, place)).toBe(`${number} ${'y'.repeat(300)}`)
      }
      reader.release()
    }
    // Once for each time that the part in use was doubled.
    expect(travelled).toBeLessThan(200)
  })
})
