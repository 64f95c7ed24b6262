import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { InputChecksum, TextChecksums } from '../../../src/batch/input/input-checksum.js'

const TEXT = Buffer.from('some text that goes on for a while')

test('the same text agrees however it is cut, at any place', () => {
  for (let offset = 1; offset <= TEXT.length; offset++) {
    const expected = { offset: offset + 3, crc: crc32(TEXT.subarray(0, offset)) }
    for (const size of [1, 5, 100]) {
      const checksum = new InputChecksum(3, expected)
      for (let at = 0; at < TEXT.length; at += size) checksum.update(TEXT.subarray(at, at + size))
      expect(checksum.agrees).toBe(true)
    }
  }
})

test('changed text does not, and text that ends before says nothing', () => {
  const checksum = new InputChecksum(0, { offset: 10, crc: crc32(TEXT.subarray(0, 10)) })
  checksum.update(TEXT.subarray(0, 9))
  expect(checksum.agrees).toBeUndefined()
  checksum.update(Buffer.from('Xa'))
  expect(checksum.agrees).toBe(false)
})

test('the checksum is known at any place behind the last one asked for', () => {
  const checksum = new InputChecksum(0)
  for (let at = 0; at < 30; at += 10) checksum.update(TEXT.subarray(at, at + 10))
  expect(checksum.latest(0)).toBeUndefined()
  for (const offset of [1, 9, 10, 11, 25, 29, 30]) {
    expect(checksum.latest(offset)).toEqual({ offset, crc: crc32(TEXT.subarray(0, offset)) })
  }
  expect(checksum.latest(15)).toBeUndefined()
})

test('chunks may be used again, and with much text behind a place only its chunk and the newest stay exact', () => {
  const checksum = new InputChecksum(0)
  const chunk = Buffer.alloc(2 ** 20)
  const text = Buffer.alloc(20 * 2 ** 20)
  for (let at = 0; at < 20; at++) {
    chunk.fill(at + 1)
    chunk.copy(text, at * chunk.length)
    checksum.update(chunk)
  }
  const at = (offset: number) => ({ offset, crc: crc32(text.subarray(0, offset)) })
  expect(checksum.latest(100)).toEqual(at(100))
  expect(checksum.latest(3 * chunk.length + 100)).toEqual(at(3 * chunk.length))
  expect(checksum.latest(text.length - 100)).toEqual(at(text.length - 100))
})

test('the journal keeps the checksum of the old text until the new one is known to be the same', () => {
  const point = { offset: 10, crc: crc32(TEXT.subarray(0, 10)) }
  const other = new TextChecksums({ input: 0, point })
  other.update(0, 0, TEXT.subarray(0, 9))
  expect(other.at({ input: 0, offset: 10, records: 1 })).toEqual(point)
  other.update(0, 9, Buffer.from('Xaaa'))
  expect([other.agrees, other.at({ input: 0, offset: 10, records: 1 })]).toEqual([false, point])
  const same = new TextChecksums({ input: 0, point })
  same.update(0, 0, TEXT)
  expect(same.agrees).toBe(true)
  expect(same.at({ input: 0, offset: 20, records: 2 })).toEqual({ offset: 20, crc: crc32(TEXT.subarray(0, 20)) })
})
