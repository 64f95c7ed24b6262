import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { InputChecksum } from '../../../src/batch/input/input-checksum.js'

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

test('the latest known place before an offset is remembered, and nothing before it', () => {
  const checksum = new InputChecksum(0)
  for (let at = 0; at < 30; at += 10) checksum.update(TEXT.subarray(at, at + 10))
  expect(checksum.latest(9)).toBeUndefined()
  expect(checksum.latest(25)).toEqual({ offset: 20, crc: crc32(TEXT.subarray(0, 20)) })
  expect(checksum.latest(15)).toBeUndefined()
  expect(checksum.latest(30)).toEqual({ offset: 30, crc: crc32(TEXT.subarray(0, 30)) })
})
