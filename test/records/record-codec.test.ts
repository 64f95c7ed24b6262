import { describe, expect, test } from 'vitest'
import { decodeRecord, decodeText, encodeResult, RecordFaultError } from '../../src/records/record-codec.js'

describe('from bytes to an argument', () => {
  test('UTF-8 is decoded strictly, a real replacement character kept', () => {
    const bytes = Buffer.from('xxä\ufffd😀yy')
    expect(decodeText(bytes, 2, bytes.length - 2)).toBe('ä\ufffd😀')
    const broken = Buffer.from([97, 0xff, 98])
    expect(() => decodeText(broken, 0, 3)).toThrow(expect.objectContaining({ fault: 'utf8' }))
    expect(decodeText(broken, 2, 3)).toBe('b')
    expect(() => decodeText(Buffer.from([0xed, 0xa0, 0x80]), 0, 3)).toThrow(RecordFaultError)
  })

  test('text is text, JSON is parsed, and broken JSON is a fault', () => {
    expect(decodeRecord('{"a":1}', 'text')).toEqual({ value: '{"a":1}', losesNumber: false })
    expect(decodeRecord('{"a":1}', 'json')).toEqual({ value: { a: 1 }, losesNumber: false })
    expect(decodeRecord('9007199254740993', 'json').losesNumber).toBe(true)
    for (const text of ['', '{', '{"a":1}{"b":2}', 'NaN', "{'a':1}", '\u0000', '[1,]']) {
      expect(() => decodeRecord(text, 'json')).toThrow(expect.objectContaining({ fault: 'json' }))
    }
  })
})

describe('from a result to a line', () => {
  test('JSON, or strings bare', () => {
    expect(encodeResult({ a: 'x' }, 'json').line).toBe('{"a":"x"}')
    expect(encodeResult('x"', 'json').line).toBe('"x\\""')
    expect(encodeResult('x"', 'text').line).toBe('x"')
    expect(encodeResult([1], 'text').line).toBe('[1]')
  })

  test('no result is null, and what JSON has no word for fails', () => {
    expect(encodeResult(undefined, 'json').line).toBe('null')
    for (const result of [() => 1, Symbol('s')]) {
      expect(() => encodeResult(result, 'json')).toThrow(`the result is a ${typeof result}`)
    }
  })

  test('lone surrogates are written as escapes', () => {
    expect(encodeResult('a\ud800b', 'json')).toEqual({ line: '"a\\ud800b"', escaped: false })
    expect(encodeResult('a\ud800b\ude00😀', 'text')).toEqual({ line: 'a\\ud800b\\ude00😀', escaped: true })
  })

  test("nesting too deep, a cycle and what a toJSON throws are the task's own failures, never a bad record", () => {
    let deep: unknown[] = []
    for (let depth = 0; depth < 200_000; depth++) deep = [deep]
    expect(() => encodeResult(deep, 'json')).toThrow(new RangeError('the result is nested too deeply to be written'))
    expect(() => encodeResult(deep, 'json')).not.toThrow(RecordFaultError)
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    expect(() => encodeResult(cycle, 'json')).toThrow(TypeError)
    const own = new RangeError('own')
    const toJSON = () => {
      throw own
    }
    expect(() => encodeResult({ toJSON }, 'json')).toThrow(own)
  })

  test('a generator is refused, an empty object is not', () => {
    const results = [(function* () {})(), (async function* () {})()]
    for (const result of results) {
      for (const encoding of ['json', 'text'] as const) {
        expect(() => encodeResult(result, encoding)).toThrow('the result is a generator')
      }
    }
    expect(encodeResult({}, 'json').line).toBe('{}')
  })
})
