import { expect, test } from 'vitest'
import { LargeRecord } from '../../../src/batch/input/large-record.js'

function placed(parts: readonly string[], limit: number, stripsCr = true): string | undefined {
  const record = new LargeRecord(limit)
  for (const part of parts) record.add(Buffer.from(part))
  const place = record.place(stripsCr)
  return place === undefined ? undefined : Buffer.from(place.bytes).toString()
}

test('parts become one text, without the CR of its line end', () => {
  expect(placed(['abc', 'def', '\r'], 100)).toBe('abcdef')
  expect(placed(['abc', 'def\r'], 100, false)).toBe('abcdef\r')
})

test('the CR is found when nothing came behind it, and in a part before an empty one', () => {
  expect(placed(['abc', 'def\r', ''], 100)).toBe('abcdef')
  expect(placed(['abc\r', '', ''], 100)).toBe('abc')
  expect(placed(['', ''], 100)).toBe('')
})

test('is blank as long as only white space came, also past the limit', () => {
  const record = new LargeRecord(10)
  for (let count = 0; count < 10; count++) record.add(Buffer.from(' \t \r'))
  expect(record.isBlank).toBe(true)
  record.add(Buffer.from('  x'))
  record.add(Buffer.from('  '))
  expect(record.isBlank).toBe(false)
})

test('a CR beyond the limit does not count, anything else does', () => {
  expect(placed(['abcdef', '\r'], 6)).toBe('abcdef')
  expect(placed(['abcdef', 'g'], 6)).toBeUndefined()
})

test('past the limit only the length is kept', () => {
  const record = new LargeRecord(10)
  for (let count = 0; count < 1000; count++) record.add(Buffer.alloc(1000))
  expect(record.lengthBytes).toBe(1_000_000)
  expect(record.place(true)).toBeUndefined()
})

test('past the limit its beginning is kept, also when the first part is past it', () => {
  const record = new LargeRecord(2)
  for (const part of ['1\r2', '3', '4']) record.add(Buffer.from(part))
  expect(record.with(Buffer.from('5')).toString()).toBe('1\r25')
})
